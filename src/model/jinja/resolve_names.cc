#include "model/jinja/resolve_names.h"

#include <fmt/format.h>

#include <map>
#include <set>

#include "base/check.h"

namespace hb::jinja {
namespace {

using From = Load::From;

// The names of one frame: what the frame itself reads and assigns, without the frames inside it.
class Symbols {
 public:
  Symbols(const Symbols* parent, Function* function) : parent_(parent), function_(function) {}

  void declare_parameter(const std::string& name) {
    stores_.insert(name);
    define(name, {From::kParameter, 0, name, {}});
  }

  void load(const std::string& name) {
    if (!known(name)) define(name, {From::kContext, 0, name, {}});
  }

  void store(const std::string& name) {
    stores_.insert(name);
    if (refs_.contains(name)) return;
    if (parent_ != nullptr && parent_->known(name)) {
      define(name, {From::kAlias, 0, name, {}});
    } else {
      define(name, {From::kUndefined, 0, name, {}});
    }
  }

  // Joins the branches of an {% if %}: a name that only some of them assign keeps its outer value in the
  // others.
  void join(const std::vector<Symbols>& branches) {
    std::map<std::string, size_t> counts;
    for (const Symbols& branch : branches) {
      for (const std::string& name : branch.stores_) {
        if (!stores_.contains(name)) ++counts[name];
      }
    }
    for (const Symbols& branch : branches) {
      refs_.insert(branch.refs_.begin(), branch.refs_.end());
      stores_.insert(branch.stores_.begin(), branch.stores_.end());
      for (const auto& [name, load] : branch.loads_) loads_.insert_or_assign(name, load);
    }
    for (const auto& [name, count] : counts) {
      if (count == branches.size()) continue;
      const bool outside = parent_ != nullptr && parent_->known(name);
      loads_.insert_or_assign(name, Load{outside ? From::kAlias : From::kContext, 0, name, {}});
    }
  }

  // Called once, when all names of the frame are known: each gets a slot in the frame's function.
  Frame allocate() {
    Frame frame;
    for (auto& [name, load] : loads_) {
      load.slot = function_->slot_count++;
      if (load.from == From::kAlias) load.alias = parent_->find(name, function_);
      frame.push_back(load);
    }
    return frame;
  }

  // REQUIRES: the name is known, and the frames from its own down to this one have their slots.
  Slot find(const std::string& name, const Function* from) const {
    uint32_t hops = 0;
    for (const Symbols* at = this; at != nullptr; at = at->parent_) {
      if (at->function_ != from) {
        ++hops;
        from = at->function_;
      }
      const auto found = at->loads_.find(name);
      if (at->refs_.contains(name) && found != at->loads_.end()) return {hops, found->second.slot};
    }
    HB_CHECK(!"a name without a frame");
    return {};
  }

  bool known(const std::string& name) const {
    for (const Symbols* at = this; at != nullptr; at = at->parent_) {
      if (at->refs_.contains(name)) return true;
    }
    return false;
  }

  Function* function() const { return function_; }

 private:
  void define(const std::string& name, Load load) {
    refs_.insert(name);
    loads_.insert_or_assign(name, std::move(load));
  }

  const Symbols* parent_;
  Function* function_;
  std::set<std::string> refs_;
  std::set<std::string> stores_;
  std::map<std::string, Load> loads_;
};

template <class Visit>
void for_each_child(const Expr& expr, Visit visit) {
  for (const ExprPtr& child : expr.children) {
    if (child) visit(*child);
  }
  if (!expr.args) return;
  for (const ExprPtr& arg : expr.args->positional) visit(*arg);
  for (const auto& [name, arg] : expr.args->named) visit(*arg);
  if (expr.args->star) visit(*expr.args->star);
  if (expr.args->double_star) visit(*expr.args->double_star);
}

// First pass over a frame: collects its names, without descending into the frames inside.
class Collector {
 public:
  explicit Collector(Symbols& symbols) : symbols_(symbols) {}

  void read(const Expr& expr) {
    if (expr.kind == ExprKind::kName) symbols_.load(expr.name);
    for_each_child(expr, [this](const Expr& child) { read(child); });
  }
  void read(const ExprPtr& expr) {
    if (expr) read(*expr);
  }

  void assign(const Expr& target) {
    if (target.kind == ExprKind::kName) symbols_.store(target.name);
    if (target.kind == ExprKind::kNamespaceRef) symbols_.load(target.name);
    for (const ExprPtr& child : target.children) assign(*child);
  }

  void declare(const Expr& target) {
    if (target.kind == ExprKind::kName) symbols_.declare_parameter(target.name);
    for (const ExprPtr& child : target.children) declare(*child);
  }

  void body(const Body& statements) {
    for (const StmtPtr& stmt : statements) statement(*stmt);
  }

 private:
  void statement(const Stmt& stmt) {
    switch (stmt.kind) {
      case StmtKind::kIf:
        return branches(stmt);
      case StmtKind::kMacro:
        return symbols_.store(stmt.text);
      case StmtKind::kSet:
        read(stmt.expr);
        return assign(*stmt.target);
      case StmtKind::kSetBlock:
        return assign(*stmt.target);
      case StmtKind::kWith:
        for (const ExprPtr& value : stmt.defaults) read(value);
        return;
      default:
        return read(stmt.expr);
    }
  }

  void branches(const Stmt& stmt) {
    read(stmt.expr);
    std::vector<Symbols> copies(3, symbols_);
    Collector(copies[0]).body(stmt.body);
    Collector(copies[1]).body(stmt.elifs);
    Collector(copies[2]).body(stmt.otherwise);
    symbols_.join(copies);
  }

  Symbols& symbols_;
};

// Whether some code reads a name before it assigns it, whatever frames lie inside. As Jinja asks for `loop`,
// `caller`, `kwargs` and `varargs`.
class UndeclaredSearch {
 public:
  explicit UndeclaredSearch(std::string_view name) : name_(name) {}

  bool found_in(const Body& body) {
    statements(body);
    return found_;
  }

 private:
  void statements(const Body& body) {
    for (const StmtPtr& stmt : body) statement(*stmt);
  }
  void expression(const ExprPtr& expr) {
    if (expr) expression(*expr);
  }
  void expression(const Expr& expr) {
    if (expr.kind == ExprKind::kName && expr.name == name_ && !assigned_) found_ = true;
    for_each_child(expr, [this](const Expr& child) { expression(child); });
  }
  void target(const Expr& expr) {
    if (expr.kind == ExprKind::kName && expr.name == name_) assigned_ = true;
    for (const ExprPtr& child : expr.children) target(*child);
  }

  void statement(const Stmt& stmt) {
    if (stmt.target) target(*stmt.target);
    if (stmt.kind == StmtKind::kFilter) statements(stmt.body);  // Jinja meets the filter behind the body
    for (const ExprPtr& param : stmt.params) target(*param);
    expression(stmt.expr);
    for (const ExprPtr& value : stmt.defaults) expression(value);
    if (stmt.kind != StmtKind::kFilter) statements(stmt.body);
    statements(stmt.elifs);
    statements(stmt.otherwise);
    expression(stmt.test);
  }

  std::string_view name_;
  bool found_ = false;
  bool assigned_ = false;
};

bool reads(const Body& body, std::string_view name) { return UndeclaredSearch(name).found_in(body); }

ExprPtr clone_target(const Expr& target) {
  auto copy = std::make_unique<Expr>();
  copy->kind = target.kind;
  copy->line = target.line;
  copy->name = target.name;
  for (const ExprPtr& child : target.children) copy->children.push_back(clone_target(*child));
  return copy;
}

bool names_loop(const Expr& target) {
  if (target.kind == ExprKind::kName) return target.name == "loop";
  for (const ExprPtr& child : target.children) {
    if (names_loop(*child)) return true;
  }
  return false;
}

// Second pass: puts slots into the names of a frame and goes through the frames inside it.
class Resolver {
 public:
  explicit Resolver(Symbols& symbols) : symbols_(symbols) {}

  Status body(Body& statements) {
    for (StmtPtr& stmt : statements) HB_TRY(statement(*stmt));
    return {};
  }

  void expression(Expr& expr) {
    if (expr.kind == ExprKind::kName || expr.kind == ExprKind::kNamespaceRef) expr.slot = slot_of(expr.name);
    for_each_child(expr, [this](const Expr& child) { expression(const_cast<Expr&>(child)); });
  }

 private:
  Slot slot_of(const std::string& name) const { return symbols_.find(name, symbols_.function()); }
  void expression(ExprPtr& expr) {
    if (expr) expression(*expr);
  }

  Status statement(Stmt& stmt) {
    switch (stmt.kind) {
      case StmtKind::kIf:
        return branches(stmt);
      case StmtKind::kFor:
        return loop(stmt);
      case StmtKind::kMacro:
        stmt.slot = slot_of(stmt.text);
        return function(stmt);
      case StmtKind::kCall:
        expression(stmt.expr);
        return function(stmt);
      case StmtKind::kSetBlock:
        expression(stmt.target);
        return block(stmt);
      case StmtKind::kFilter:
        return block(stmt);
      case StmtKind::kWith:
        return with(stmt);
      default:
        expression(stmt.target);
        expression(stmt.expr);
        return {};
    }
  }

  Status branches(Stmt& stmt) {
    expression(stmt.expr);
    HB_TRY(body(stmt.body));
    HB_TRY(body(stmt.elifs));
    return body(stmt.otherwise);
  }

  Status loop(Stmt& stmt) {
    if (names_loop(*stmt.target))
      return fail(ErrorCode::kBadFile, fmt::format("line {}: a loop cannot assign to 'loop'", stmt.line));
    expression(stmt.expr);
    if (stmt.test) loop_test(stmt);
    Symbols inside(&symbols_, symbols_.function());
    const bool uses_loop = reads(stmt.body, "loop");
    if (uses_loop) inside.declare_parameter("loop");
    Collector collector(inside);
    collector.declare(*stmt.target);
    collector.body(stmt.body);
    stmt.frame = inside.allocate();
    Resolver resolver(inside);
    resolver.expression(stmt.target);
    stmt.uses_loop = uses_loop;
    if (uses_loop) stmt.slot = resolver.slot_of("loop");
    HB_TRY(resolver.body(stmt.body));
    Symbols behind(&symbols_, symbols_.function());
    Collector(behind).body(stmt.otherwise);
    stmt.else_frame = behind.allocate();
    return Resolver(behind).body(stmt.otherwise);
  }

  void loop_test(Stmt& stmt) {
    stmt.test_target = clone_target(*stmt.target);
    Symbols inside(&symbols_, symbols_.function());
    Collector collector(inside);
    collector.declare(*stmt.target);
    collector.read(stmt.test);
    stmt.test_frame = inside.allocate();
    Resolver resolver(inside);
    resolver.expression(stmt.test_target);
    resolver.expression(stmt.test);
  }

  // A macro or a call block.
  Status function(Stmt& stmt) {
    Symbols inside(&symbols_, &stmt.function);
    Collector collector(inside);
    std::set<std::string> own;
    for (const ExprPtr& param : stmt.params) {
      collector.declare(*param);
      own.insert(param->name);
    }
    for (const ExprPtr& value : stmt.defaults) collector.read(value);
    collector.body(stmt.body);
    const auto special = [&](const char* name) {
      if (own.contains(name) || !reads(stmt.body, name)) return false;
      inside.declare_parameter(name);
      return true;
    };
    stmt.function.uses_caller = special("caller");
    stmt.function.uses_kwargs = special("kwargs");
    stmt.function.uses_varargs = special("varargs");
    stmt.frame = inside.allocate();
    Resolver resolver(inside);
    for (ExprPtr& param : stmt.params) resolver.expression(param);
    for (ExprPtr& value : stmt.defaults) resolver.expression(value);
    if (stmt.function.uses_caller) stmt.function.caller = resolver.slot_of("caller");
    if (stmt.function.uses_kwargs) stmt.function.kwargs = resolver.slot_of("kwargs");
    if (stmt.function.uses_varargs) stmt.function.varargs = resolver.slot_of("varargs");
    return resolver.body(stmt.body);
  }

  // {% filter %} and block {% set %}.
  Status block(Stmt& stmt) {
    Symbols inside(&symbols_, symbols_.function());
    Collector collector(inside);
    collector.body(stmt.body);
    collector.read(stmt.expr);
    stmt.frame = inside.allocate();
    Resolver resolver(inside);
    resolver.expression(stmt.expr);
    return resolver.body(stmt.body);
  }

  Status with(Stmt& stmt) {
    for (ExprPtr& value : stmt.defaults) expression(value);
    Symbols inside(&symbols_, symbols_.function());
    Collector collector(inside);
    for (const ExprPtr& target : stmt.params) collector.assign(*target);
    collector.body(stmt.body);
    stmt.frame = inside.allocate();
    Resolver resolver(inside);
    for (ExprPtr& target : stmt.params) resolver.expression(target);
    return resolver.body(stmt.body);
  }

  Symbols& symbols_;
};

}  // namespace

Status resolve_names(Template& parsed) {
  Symbols symbols(nullptr, &parsed.function);
  Collector(symbols).body(parsed.body);
  parsed.frame = symbols.allocate();
  return Resolver(symbols).body(parsed.body);
}

}  // namespace hb::jinja
