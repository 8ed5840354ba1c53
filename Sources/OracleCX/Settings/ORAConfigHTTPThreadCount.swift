/// Maximum concurrent requests per origin; default 1.
///
/// The vendor lists a number of HTTP threads without a public default. Here it applies per origin (scheme, host and
/// port), so that a server that does not respond delays no other. A manager reads it when it is created.
public final class ORAConfigHTTPThreadCount: ORACoreConfigSetting {
    /// `ora_dc_http_thread_count`
    public override func keyName() -> String? { "ora_dc_http_thread_count" }

    /// The purpose of the setting.
    public override func keyDescription() -> String? { "Maximum number of concurrent HTTP requests per origin" }

    /// `1`
    public override func getDefaultValue() -> String? { "1" }

    /// True for integers from 1 to 64, without sign, leading zeros and spaces, such as `4`.
    public override func isValid(_ value: String) -> Bool {
        // As strict as the Boolean settings, so that each number has one spelling.
        Int(value).map { (1...64).contains($0) && String($0) == value } ?? false
    }
}
