#include "base/settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>

namespace hb {
namespace {

using testing::HasSubstr;

SettingLine line_of(const Settings& settings, std::string_view name) {
  const auto lines = settings.lines();
  return *std::ranges::find(lines, name, &SettingLine::name);
}

TEST(SettingsTest, DefaultsWithoutAnything) {
  const auto settings = Settings::load({});
  ASSERT_TRUE(settings);
  EXPECT_EQ(settings->threads, 0u);
  EXPECT_EQ(settings->isa, "auto");
  EXPECT_TRUE(settings->cpu_mask.empty());
  EXPECT_EQ(settings->cache_dir, "");
  EXPECT_TRUE(settings->huge_pages);
  for (const SettingLine& line : settings->lines())
    EXPECT_EQ(line.origin, SettingOrigin::kDefault) << line.name;
}

TEST(SettingsTest, OptionsWinOverTheEnvironment) {
  const TextMap environment = {
      {"HALFBYTE_THREADS", "3"}, {"HALFBYTE_ISA", "avx2"}, {"HALFBYTE_HUGE_PAGES", "off"}};
  const auto settings = Settings::load(environment, {{"threads", "5"}, {"cpu_mask", "0xf0"}});
  ASSERT_TRUE(settings);
  EXPECT_EQ(settings->threads, 5u);
  EXPECT_EQ(settings->isa, "avx2");
  EXPECT_FALSE(settings->huge_pages);
  EXPECT_EQ(settings->cpu_mask, CpuMask::parse("f0"));
  EXPECT_EQ(line_of(*settings, "threads").origin, SettingOrigin::kOption);
  EXPECT_EQ(line_of(*settings, "isa").origin, SettingOrigin::kEnvironment);
  EXPECT_EQ(line_of(*settings, "spin_us").origin, SettingOrigin::kDefault);
  EXPECT_EQ(line_of(*settings, "cpu_mask").value, "f0");
  EXPECT_EQ(line_of(*settings, "huge_pages").value, "off");
}

TEST(SettingsTest, ErrorsNameTheVariableAndWhatIsAllowed) {
  const std::vector<std::vector<std::string>> cases = {
      {"HALFBYTE_THREADS", "many", "0 to 1024"},     {"HALFBYTE_THREADS", "1025", "0 to 1024"},
      {"HALFBYTE_THREADS", "-1", "0 to 1024"},       {"HALFBYTE_THREADS", "2 ", "0 to 1024"},
      {"HALFBYTE_ISA", "sse", "auto, scalar, avx2"}, {"HALFBYTE_ISA", "auto|scalar", "auto, scalar"},
      {"HALFBYTE_CPU_MASK", "xyz", "hexadecimal"},   {"HALFBYTE_CPU_MASK", "0", "at least one CPU"},
      {"HALFBYTE_HUGE_PAGES", "maybe", "on or off"},
  };
  for (const auto& row : cases) {
    const auto settings = Settings::load({{row[0], row[1]}});
    ASSERT_FALSE(settings) << row[0] << "=" << row[1];
    EXPECT_EQ(settings.error().code, ErrorCode::kInvalidArgument);
    EXPECT_THAT(settings.error().message, HasSubstr(row[0] + " is '" + row[1] + "'"));
    EXPECT_THAT(settings.error().message, HasSubstr(row[2]));
  }
}

TEST(SettingsTest, OptionErrorsNameTheOption) {
  EXPECT_THAT(Settings::load({}, {{"cpu_mask", "no"}}).error().message, HasSubstr("--cpu-mask is 'no'"));
  EXPECT_EQ(Settings::load({}, {{"thread", "1"}}).error().code, ErrorCode::kNotFound);
}

TEST(SettingsTest, AnEmptyVariableIsUnset) {
  const auto settings = Settings::load({{"HALFBYTE_THREADS", ""}});
  ASSERT_TRUE(settings);
  EXPECT_EQ(line_of(*settings, "threads").origin, SettingOrigin::kDefault);
}

TEST(SettingsTest, CacheFolderFollowsTheUser) {
  EXPECT_EQ(Settings::load({{"HOME", "/home/u"}})->cache_dir, "/home/u/.cache/halfbyte");
  EXPECT_EQ(Settings::load({{"HOME", "/home/u"}, {"XDG_CACHE_HOME", "/c"}})->cache_dir, "/c/halfbyte");
  EXPECT_EQ(Settings::load({{"HOME", "/home/u"}, {"XDG_CACHE_HOME", "c"}})->cache_dir,
            "/home/u/.cache/halfbyte");
  EXPECT_EQ(Settings::load({{"HOME", "/home/u"}, {"HALFBYTE_CACHE_DIR", "/x"}})->cache_dir, "/x");
}

TEST(SettingsTest, MisspeltVariablesAreFound) {
  const TextMap environment = {{"HALFBYTE_THREDS", "3"}, {"HALFBYTE_THREADS", "3"}, {"PATH", "/bin"}};
  EXPECT_EQ(unknown_variables(environment), std::vector<std::string>{"HALFBYTE_THREDS"});
}

TEST(SettingsTest, TheTableIsConsistent) {
  for (const SettingLine& line : Settings().lines()) {
    std::string variable = "HALFBYTE_" + line.name;
    std::ranges::transform(variable, variable.begin(), [](unsigned char c) { return std::toupper(c); });
    if (line.name == "no_color") variable = "NO_COLOR";  // what other programs obey too: no-color.org
    EXPECT_EQ(line.variable, variable);
    EXPECT_FALSE(line.help.empty());
    EXPECT_TRUE(Settings::load({}, {{line.name, line.value}})) << line.name;
  }
}

TEST(SettingsTest, ReadsTheProcess) { EXPECT_TRUE(process_environment().contains("PATH")); }

}  // namespace
}  // namespace hb
