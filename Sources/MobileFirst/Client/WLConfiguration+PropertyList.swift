public import Foundation

extension WLConfiguration {
    /// Reads the vendor's `mfpclient.plist`: `protocol`, `host`, `port`, `wlServerContext`, `languagePreferences` and
    /// `wlEnableRefreshToken`.
    /// - Throws: ``WLError`` (`configuration`) if the file or one of the first four is missing.
    public init(propertyList file: URL) throws(WLError) {
        let values: [String: Any]
        do {
            let list = try PropertyListSerialization.propertyList(from: Data(contentsOf: file), format: nil)
            values = list as? [String: Any] ?? [:]
        } catch {
            throw WLError(
                .configuration, "Cannot read \(file.lastPathComponent); add it to the app's bundle.", underlying: error)
        }
        func text(_ name: String) throws(WLError) -> String {
            guard let value = values[name].map({ "\($0)" }), !value.isEmpty else {
                throw WLError(
                    .configuration, "\(file.lastPathComponent) has no value for `\(name)`; add it.")
            }
            return value
        }
        var context = try text("wlServerContext")
        if !context.hasPrefix("/") { context = "/" + context }
        self.init(serverURL: "\(try text("protocol"))://\(try text("host")):\(try text("port"))\(context)")
        if let languages = values["languagePreferences"] as? String, !languages.isEmpty {
            languagePreferences = languages
        }
        usesRefreshTokens =
            values["wlEnableRefreshToken"].map { "\($0)".lowercased() }.map { $0 == "true" || $0 == "1" } ?? false
    }

    /// Reads `mfpclient.plist` of the app's bundle.
    /// - Throws: ``WLError`` (`configuration`).
    public static func mainBundle() throws(WLError) -> WLConfiguration {
        guard let file = Bundle.main.url(forResource: "mfpclient", withExtension: "plist") else {
            throw WLError(
                .configuration,
                "The app's bundle has no mfpclient.plist; add it, or call WLClient.configureShared at start.")
        }
        return try WLConfiguration(propertyList: file)
    }
}
