/// The settings of the core module.
///
/// ```swift
/// let coreContainer = ORACoreDataContainer()
/// coreContainer.putValue("true", forKey: ORAConfigHTTPBackgroundTaskEnabled())
/// ```
public final class ORACoreDataContainer: ORABaseDataContainer {
    /// `ORACORE`
    public override func getModuleId() -> String? { "ORACORE" }

    /// Returns the setting with a name, if it has an effect in this module.
    public override func getConfig(_ key: String) -> ORAConfigSetting? {
        [ORAConfigHTTPBackgroundTaskEnabled(), ORAConfigHTTPThreadCount()].first { $0.keyName() == key }
    }

    /// Whether requests continue in the background.
    var isBackgroundTaskEnabled: Bool { getValue(ORAConfigHTTPBackgroundTaskEnabled()) == "true" }
    /// Maximum concurrent requests per origin.
    var threadCount: Int { getValue(ORAConfigHTTPThreadCount()).flatMap { Int($0) } ?? 1 }
}
