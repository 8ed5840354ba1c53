/// The settings of the core module.
///
/// ```swift
/// let coreContainer = ORACoreDataContainer()
/// coreContainer.putValue("true", forKey: ORAConfigHTTPBackgroundTaskEnabled())
/// ```
public final class ORACoreDataContainer: ORABaseDataContainer {
    /// `ORACORE`
    public override func getModuleId() -> String? { "ORACORE" }

    /// The setting of a name, of those that have an effect here.
    public override func getConfig(_ key: String) -> ORAConfigSetting? {
        [ORAConfigHTTPBackgroundTaskEnabled(), ORAConfigHTTPThreadCount()].first { $0.keyName() == key }
    }

    /// Whether requests go on in the background.
    var isBackgroundTaskEnabled: Bool { getValue(ORAConfigHTTPBackgroundTaskEnabled()) == "true" }
    /// The number of requests that run at a time for one origin.
    var threadCount: Int { getValue(ORAConfigHTTPThreadCount()).flatMap { Int($0) } ?? 1 }
}
