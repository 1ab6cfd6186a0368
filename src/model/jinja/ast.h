// The syntax tree of a template. Built by the parser, completed by resolve_names(), then read only.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "model/jinja/value.h"

namespace hb::jinja {

struct Expr;
struct Stmt;
using ExprPtr = std::unique_ptr<Expr>;
using StmtPtr = std::unique_ptr<Stmt>;
using Body = std::vector<StmtPtr>;

// A variable's place: `hops` functions outwards, then the slot there.
struct Slot {
  uint32_t hops = 0;
  uint32_t index = 0;
};

enum class Op : uint8_t {
  kAdd,
  kSub,
  kMul,
  kDiv,
  kFloorDiv,
  kMod,
  kPow,
  kEq,
  kNe,
  kLt,
  kLe,
  kGt,
  kGe,
  kIn,
  kNotIn,
};

struct CallArgs {
  std::vector<ExprPtr> positional;
  std::vector<std::pair<std::string, ExprPtr>> named;
  ExprPtr star;         // *args
  ExprPtr double_star;  // **kwargs
};

enum class ExprKind : uint8_t {
  kConst,         // value
  kName,          // name, slot; also a target of set, for and macro parameters
  kNamespaceRef,  // name.attribute as a target: name and slot, `attribute`
  kList,
  kTuple,      // children; a tuple of names is also a target
  kDict,       // children: key, value, key, value
  kAttribute,  // children[0].name
  kItem,       // children[0][children[1]]
  kSlice,      // children[0][children[1]:children[2]:children[3]], each but the first may be null
  kCall,       // children[0](args)
  kFilter,     // children[0] | name(args); children[0] is null for the body of a block
  kTest,       // children[0] is name(args)
  kNot,
  kNegate,
  kPlus,     // children[0]
  kBinary,   // children[0] ops[0] children[1]
  kConcat,   // children joined by ~
  kCompare,  // children[0] ops[0] children[1] ops[1] children[2] …
  kAnd,
  kOr,           // two children
  kConditional,  // children[1] if children[0] else children[2], which may be null
};

struct Expr {
  ExprKind kind = ExprKind::kConst;
  uint32_t line = 0;
  std::string name;
  std::string attribute;
  Value value;
  Slot slot;
  std::vector<ExprPtr> children;
  std::vector<Op> ops;
  std::unique_ptr<CallArgs> args;
  const Builtin* builtin = nullptr;  // of a filter or test; null if this engine has none of that name
};

// What happens to a variable when its frame is entered.
struct Load {
  enum class From : uint8_t { kParameter, kUndefined, kContext, kAlias } from = From::kParameter;
  uint32_t slot = 0;  // in the frame's own function
  std::string name;   // kContext: looked up in the input, then among the globals
  Slot alias;         // kAlias: the variable of the same name outside
};
using Frame = std::vector<Load>;

enum class StmtKind : uint8_t {
  kText,      // text
  kPrint,     // expr
  kIf,        // if expr: body; elifs; otherwise
  kFor,       // for target in expr if test: body; otherwise
  kSet,       // target = expr
  kSetBlock,  // target = body through the filter expr, which may be null
  kMacro,     // text = its name; params, defaults, body
  kCall,      // call(params, defaults) expr: body
  kFilter,    // body through the filter expr
  kWith,      // params = targets, defaults = their values, body; also without targets for {% generation %}
  kBreak,
  kContinue,
};

// The function-like part of a macro or a call block. The template itself is one too.
struct Function {
  uint32_t slot_count = 0;
  Slot caller, kwargs, varargs;  // used if the flag says so
  bool uses_caller = false;
  bool uses_kwargs = false;
  bool uses_varargs = false;
};

struct Stmt {
  StmtKind kind = StmtKind::kText;
  uint32_t line = 0;
  std::string text;
  ExprPtr target;
  ExprPtr expr;
  ExprPtr test;
  Body body;
  Body elifs;  // each a kIf without elifs and otherwise
  Body otherwise;
  std::vector<ExprPtr> params;
  std::vector<ExprPtr> defaults;  // of a macro: for the last params
  Slot slot;                      // of a macro: the variable with its name; of a loop: `loop`, if uses_loop
  bool uses_loop = false;
  Frame frame;          // of the body
  Frame test_frame;     // of a loop's test, whose target is a variable of its own
  ExprPtr test_target;  // a loop with a test: the target once more, in test_frame
  Frame else_frame;
  Function function;
};

struct Template {
  Body body;
  Frame frame;
  Function function;
};

}  // namespace hb::jinja
