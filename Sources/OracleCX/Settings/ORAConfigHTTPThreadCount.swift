/// The number of requests that run at a time for one origin; default 1.
///
/// The vendor's parameter list has a number of HTTP threads and no default that is public. Here it counts for each origin
/// (scheme, host and port), so that a server that does not respond delays no other. A manager reads it when it is made.
public final class ORAConfigHTTPThreadCount: ORACoreConfigSetting {
    /// `ora_dc_http_thread_count`
    public override func keyName() -> String? { "ora_dc_http_thread_count" }

    /// What the setting is for.
    public override func keyDescription() -> String? { "Number of HTTP requests that run at a time for one origin" }

    /// `1`
    public override func getDefaultValue() -> String? { "1" }

    /// True for whole numbers from 1 to 64.
    public override func isValid(_ value: String) -> Bool { Int(value).map { (1...64).contains($0) } ?? false }
}
