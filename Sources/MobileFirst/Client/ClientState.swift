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
        /// Counts the logouts and changes of the server.
        var session = 0
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
    /// The transport of the app.
    let transport: AnyTransport
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

    /// Sets the server's URL, which begins a session.
    func setServer(_ url: String) {
        settings.withLock { settings in
            settings.server = Self.base(url)
            settings.session += 1
        }
    }

    /// The number of the session: a call uses no token of another session than that in which the app made it.
    var session: Int { settings.withLock(\.session) }

    /// Begins a session, after a logout.
    func beginSession() { settings.withLock { $0.session += 1 } }

    /// The server's URL with the session.
    var serverInSession: (server: Result<BaseURL, WLError>, session: Int) {
        settings.withLock { ($0.server, $0.session) }
    }

    /// The separate authorization server; nil without one.
    var authorizationServer: BaseURL? { settings.withLock(\.authorizationServer) }

    /// The URLs for one exchange, which a change of the settings does not affect.
    struct Servers: Sendable {
        let server: BaseURL
        /// The URL below which `authorization` and `token` are.
        let authorization: BaseURL
        /// The ``ClientState/session``.
        let session: Int
    }

    /// - Throws: ``WLError`` (`configuration`), also for http, which would send secrets unencrypted, and for an invalid
    ///   URL of a trusted server.
    func servers() throws(WLError) -> Servers {
        let (server, authorization, session) = settings.withLock { ($0.server, $0.authorizationServer, $0.session) }
        let base = try server.get()
        for url in [base, authorization ?? base] { try requireEncryption(of: url.text) }
        _ = try trustedServers()
        return Servers(server: base, authorization: authorization ?? base, session: session)
    }

    /// Checks that a URL may get secrets: https, or this machine.
    /// - Parameter subject: what the URL is, for the error.
    /// - Throws: ``WLError`` (`configuration`), unless the configuration allows http.
    func requireEncryption(of url: String, _ subject: String = "The server") throws(WLError) {
        let origin = Origin(URLReference(url[...]))
        guard !origin.protectsSecrets, !configuration.allowsInsecureServers else { return }
        throw WLError(
            .configuration,
            "\(subject) \(origin.text) is http, which would send passwords and tokens unencrypted; use https, or set "
                + "`WLConfiguration.allowsInsecureServers` for development.")
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

    /// The transport that sends requests now.
    /// - Throws: ``WLError`` (`configuration`) if the pinned certificates cannot be checked.
    func engine() throws(WLError) -> AnyTransport { try settings.withLock(\.pinned)?.get() ?? transport }

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
    /// - Throws: ``WLError`` (`configuration`) for an invalid URL of the configuration.
    func tokenOrigins(of server: BaseURL) throws -> AllowedOrigins {
        guard !configuration.sendsTokensToEveryServer else { return .chosenByAuthorizer }
        return try AllowedOrigins([URL(httpString: server.text)] + trustedServers())
    }

    /// The URLs of other servers that may get tokens; none where every server gets them.
    private func trustedServers() throws(WLError) -> [URL] {
        guard !configuration.sendsTokensToEveryServer else { return [] }
        var urls: [URL] = []
        for text in configuration.trustedURLs {
            do throws(HTTPMessageError) {
                let url = try URL(httpString: text)
                _ = try AllowedOrigins([url])
                urls.append(url)
            } catch {
                throw WLError(
                    .configuration,
                    "Invalid URL in `WLConfiguration.trustedURLs`: \(Self.redacted(text)): "
                        + "\(error.message)", underlying: error)
            }
            try requireEncryption(of: text, "The URL in `WLConfiguration.trustedURLs`")
        }
        return urls
    }

    private static func redacted(_ url: String) -> String {
        URL(string: url).map { Redaction.standard.redacted($0) } ?? url
    }
}
