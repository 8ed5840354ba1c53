import Authentication
import Delegation
import Foundation
import HTTPMessages
import RequestModel
import Synchronization
import Transport

/// The settings of a client that can change, and its transport.
final class ClientState: Sendable {
    private struct Settings {
        var server: Result<BaseURL, WLError>
        var authorizationServer: BaseURL?
        var globalHeaders: [(name: String, value: String)] = []
        var deviceID: String?
        var requestTimeout: TimeInterval
        var loginTimeout: TimeInterval
        var delivery = Delivery.main
        /// The transport that checks the pinned certificates, or the reason why it cannot be made.
        var pinned: Result<AnyTransport, WLError>?
    }

    let configuration: WLConfiguration
    let cookieJar: CookieJar
    private let transport: AnyTransport
    private let settings: Mutex<Settings>

    init(_ configuration: WLConfiguration, failure: WLError?, transport: AnyTransport, cookieJar: CookieJar) {
        self.configuration = configuration
        self.transport = transport
        self.cookieJar = cookieJar
        settings = Mutex(
            Settings(
                server: failure.map { .failure($0) } ?? Self.base(configuration.serverURL),
                deviceID: configuration.deviceID, requestTimeout: configuration.requestTimeout,
                loginTimeout: configuration.loginTimeout))
    }

    private static func base(_ url: String) -> Result<BaseURL, WLError> {
        do {
            return .success(try BaseURL(url))
        } catch {
            return .failure(
                WLError(
                    .configuration, "Invalid server URL: \(error.message) Set `WLConfiguration.serverURL`.",
                    underlying: error))
        }
    }

    /// The server's URL.
    /// - Throws: ``WLError`` (`configuration`).
    func server() throws(WLError) -> BaseURL { try settings.withLock(\.server).get() }

    func setServer(_ url: String) { settings.withLock { $0.server = Self.base(url) } }

    /// The separate authorization server; nil without one.
    var authorizationServer: BaseURL? { settings.withLock(\.authorizationServer) }

    /// The URLs for one exchange, which a change of the settings does not affect.
    struct Servers: Sendable {
        let server: BaseURL
        /// The URL below which `authorization` and `token` are.
        let authorization: BaseURL
    }

    /// - Throws: ``WLError`` (`configuration`).
    func servers() throws(WLError) -> Servers {
        let (server, authorization) = settings.withLock { ($0.server, $0.authorizationServer) }
        let base = try server.get()
        return Servers(server: base, authorization: authorization ?? base)
    }

    func setAuthorizationServer(_ url: BaseURL?) { settings.withLock { $0.authorizationServer = url } }

    var delivery: Delivery {
        get { settings.withLock(\.delivery) }
        set { settings.withLock { $0.delivery = newValue } }
    }

    var requestTimeout: TimeInterval {
        get { settings.withLock(\.requestTimeout) }
        set { settings.withLock { $0.requestTimeout = newValue } }
    }

    var loginTimeout: TimeInterval {
        get { settings.withLock(\.loginTimeout) }
        set { settings.withLock { $0.loginTimeout = newValue } }
    }

    var deviceID: String? {
        get { settings.withLock(\.deviceID) }
        set { settings.withLock { $0.deviceID = newValue } }
    }

    var globalHeaders: [(name: String, value: String)] { settings.withLock(\.globalHeaders) }

    func setGlobalHeader(_ name: String, _ value: String?) {
        settings.withLock { settings in
            settings.globalHeaders.removeAll { $0.name.isSameHeader(as: name) }
            if let value { settings.globalHeaders.append((name, value)) }
        }
    }

    func setPinned(_ transport: Result<AnyTransport, WLError>) { settings.withLock { $0.pinned = transport } }

    /// The transport below all layers, with cookies.
    /// - Throws: ``WLError`` (`configuration`) if the pinned certificates cannot be checked.
    func network() throws(WLError) -> CookieKeeping<AnyTransport> {
        let transport = try settings.withLock(\.pinned)?.get() ?? transport
        return CookieKeeping(base: transport, jar: cookieJar)
    }

    /// The vendor's and the global header fields, replaced by `fields` of the same names.
    func fields(overriddenBy fields: HTTPFields) throws -> HTTPFields {
        var merged = try HTTPFields([
            ("Accept", "*/*"), ("Accept-Language", configuration.languagePreferences),
            ("X-Requested-With", "XMLHttpRequest"),
        ])
        for (name, value) in globalHeaders { try merged.set(name, to: value) }
        return merged.merging(fields)
    }

    /// The origins that may get tokens of a server.
    func tokenOrigins(of server: BaseURL) throws -> AllowedOrigins {
        guard !configuration.sendsTokensToEveryServer else { return .chosenByAuthorizer }
        return try AllowedOrigins(
            ([server.text] + configuration.trustedURLs).map { text in try URL(httpString: text) })
    }
}
