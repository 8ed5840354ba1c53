public import Foundation
import Synchronization

/// The settings of sample apps and of generated apps, which the vendor's tools wrote into each app.
///
/// Two unrelated classes had this name; this one has the members of both. Each is a member of the class, and of its
/// only instance:
///
/// ```swift
/// ConnectivitySettings.setUrl("https://gateway.example.com/sap/opu/odata/sap/FLIGHTS/")
/// ConnectivitySettings.SMPHost = "smp.example.com"
/// let request = SDMRequestBuilder.requestWithURL(ConnectivitySettings.urlWithLanguage())
/// ```
/// Nothing else reads them, except where this documentation says so. Thread-safe.
@dynamicMemberLookup
public final class ConnectivitySettings: Sendable {
    /// How a generated app signs in; the numbers are the vendor's.
    public enum AuthenticationType: Int, Hashable, Sendable, CaseIterable {
        /// Forms in a web view.
        case formsBasedSAML = 0xFC
        /// A client certificate.
        case certificate = 0xFD
        /// User and password.
        case usernamePassword = 0xFE
        /// A portal.
        case portal = 0xFF
    }

    /// The values; all optional.
    public struct Values: Sendable {
        /// The language of the app, such as `en`; nil for the system's.
        public var language: String?
        /// How the app signs in; default nil.
        public var authenticationType: AuthenticationType?
        /// Whether requests go to a SUP server; default false. See `ConnectivitySettings.setSUPMode(_:)`.
        public var isSUPMode = false
        /// Host of the SUP server.
        public var SUPHost: String?
        /// Port of the SUP server.
        public var SUPPort: Int?
        /// Farm of the relay server.
        public var SUPFarmID: String?
        /// Domain of the SUP server.
        public var SUPDomain: String?
        /// Application ID on the SUP server.
        public var SUPAppID: String?
        /// Security configuration on the SUP server.
        public var SUPSecurityConfiguration: String?
        /// Host of the SAP Mobile Platform server.
        public var SMPHost: String?
        /// Port of the SAP Mobile Platform server.
        public var SMPPort: Int?
        /// Domain of the SAP Mobile Platform server.
        public var SMPDomain: String?
        /// Application ID on the SAP Mobile Platform server.
        public var SMPAppID: String?
        /// URL of the portal.
        public var portalUrl: String?
        /// Whether the app runs in the mode of SAP's Gateway as a service; default false.
        public var GWAASMode = false
        /// Whether the app requests JSON instead of Atom; default false.
        public var useJSON = false
        var url: String?
    }

    private static let shared = ConnectivitySettings()
    private let values = Mutex(Values())

    private init() {}

    /// The only instance.
    public static func instance() -> ConnectivitySettings { shared }

    /// A value by name; see ``Values``.
    public subscript<Value: Sendable>(dynamicMember path: WritableKeyPath<Values, Value>) -> Value {
        get { values.withLock { $0[keyPath: path] } }
        set { values.withLock { $0[keyPath: path] = newValue } }
    }

    /// A value of the only instance by name; see ``Values``.
    public static subscript<Value: Sendable>(dynamicMember path: WritableKeyPath<Values, Value>) -> Value {
        get { shared[dynamicMember: path] }
        set { shared[dynamicMember: path] = newValue }
    }

    /// The URL of the service as text; nil before ``setUrl(_:)``.
    public static func url() -> String? { shared.values.withLock(\.url) }

    /// Sets the URL of the service.
    public static func setUrl(_ url: String?) { shared.values.withLock { $0.url = url } }

    /// The language of the app; default the system's preferred one, such as `en`.
    public func currentLanguage() -> String {
        values.withLock(\.language) ?? Locale.preferredLanguages.first?.split(separator: "-").first.map(String.init)
            ?? "en"
    }

    /// The URL of the service with `sap-language`; nil without a URL.
    ///
    /// The vendor's sample appended it with `?`, which breaks a URL that has a query; see
    /// `URL.withSAPLanguage(_:)`.
    public static func urlWithLanguage() -> URL? {
        url().flatMap { URL(string: $0) }?.withSAPLanguage(shared.currentLanguage())
    }

    /// Sets whether requests go to a SUP server, and the type of the requests that ``SDMRequestBuilder`` makes.
    public func setSUPMode(_ isSUPMode: Bool) {
        values.withLock { $0.isSUPMode = isSUPMode }
        SDMRequestBuilder.setRequestType(isSUPMode ? .sup : .http)
    }

    /// ``setSUPMode(_:)-(Bool)`` of the only instance.
    public static func setSUPMode(_ isSUPMode: Bool) { shared.setSUPMode(isSUPMode) }
}
