import OracleCX
import Testing

@Suite struct ORAConfigSettingTests {
    @Test func `the background setting is a core Boolean setting, false by default`() {
        let setting = ORAConfigHTTPBackgroundTaskEnabled()
        let ancestors = sequence(first: Mirror(reflecting: setting)) { $0.superclassMirror }.map { "\($0.subjectType)" }
        #expect(
            ancestors == [
                "ORAConfigHTTPBackgroundTaskEnabled", "ORABooleanSetting", "ORACoreConfigSetting", "ORAConfigSetting",
            ])
        #expect(setting.keyName() == "ora_dc_http_background_task_enabled")
        #expect(setting.keyDescription()?.isEmpty == false)
        #expect(setting.getDefaultValue() == "false")
    }

    @Test(arguments: [
        ("true", true), ("false", true), ("TRUE", false), ("1", false), ("yes", false), ("", false),
        (" true", false),
    ])
    func `a Boolean setting accepts only true and false`(value: String, isValid: Bool) {
        #expect(ORAConfigHTTPBackgroundTaskEnabled().isValid(value) == isValid)
        #expect(ORABooleanSetting().isValid(value) == isValid)
    }

    @Test(arguments: [
        ("1", true), ("4", true), ("64", true), ("0", false), ("65", false), ("-1", false), ("+4", false),
        ("007", false), ("04", false), ("4.0", false), (" 4", false), ("4 ", false), ("٤", false), ("", false),
        ("x", false),
    ])
    func `the thread count accepts integers from 1 to 64, in one spelling`(value: String, isValid: Bool) {
        #expect(ORAConfigHTTPThreadCount().isValid(value) == isValid)
    }

    @Test func `the base setting has no key, no default and accepts any value`() {
        let setting = ORAConfigSetting()
        #expect(setting.keyName() == nil && setting.keyDescription() == nil && setting.getDefaultValue() == nil)
        #expect(setting.isValid("anything"))
    }
}
