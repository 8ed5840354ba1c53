import Authentication
public import Delegation
public import Foundation
public import PatchbayErrors
import RequestModel
public import Transport

/// The connection to a MobileFirst server: registration, tokens, challenge handlers, headers and cookies.
///
/// An app configures the shared client once at start, or has an `mfpclient.plist` in its bundle:
///
/// ```swift
/// try WLClient.configureShared(WLConfiguration(serverURL: "https://mfp.example.com/mfp"))
/// WLClient.sharedInstance().registerChallengeHandler(PinHandler(securityCheck: "PinCode"))
/// ```
/// Tests create a client of their own over a fake transport. Thread-safe. Optionals are implicitly unwrapped, as Swift
/// imports the vendor's class; ``WLClientSwift`` has a shared instance that is not optional.
public class WLClient: @unchecked Sendable {
    // Unchecked because the class has a subclass: all stored properties are immutable and `Sendable`.

    /// The configuration.
    public let configuration: WLConfiguration
    /// Tokens, login and logout.
    public var authorizationManager: WLAuthorizationManager { manager }
    let manager: WLAuthorizationManagerSwift
    let state: ClientState
    let handlers = HandlerRegistry()
    let authorization: AuthorizationService
    let credentials: CredentialCache<MobileFirstAuthorizer>
    let resources: ResourceStack
    let makePinned: (@Sendable (Set<Data>) throws -> any Transport)?

    /// Creates a client over a transport.
    /// - Parameters:
    ///   - transport: sends all requests; default the network. It must not follow redirects: the client does.
    ///   - registrations: keeps the client ID and the private key; default in memory.
    ///   - cookieJar: the cookies of the server.
    ///   - makePinnedTransport: makes the transport for pinned public keys (SubjectPublicKeyInfo, DER); default nil,
    ///     the `transport` with these keys, if it is a `URLSessionTransport` alone, and on Apple platforms only.
    ///   - clock: measures lifetimes of tokens and intervals of heartbeats.
    ///   - date: the wall clock, for assertions and the expiry of tokens.
    public convenience init(
        _ configuration: WLConfiguration, transport: some Transport = URLSessionTransport.shared,
        registrations: some WLRegistrationStore = WLMemoryRegistrationStore(), cookieJar: CookieJar = CookieJar(),
        makePinnedTransport: (@Sendable (Set<Data>) throws -> any Transport)? = nil,
        clock: some Clock<Duration> = ContinuousClock(), date: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.init(
            configuration, failure: nil, transport: AnyTransport(transport), registrations: registrations,
            cookieJar: cookieJar, makePinnedTransport: makePinnedTransport, clock: clock, date: date)
    }

    /// The shared client: made by ``configureShared(_:transport:registrations:makePinnedTransport:)``, or else from
    /// `mfpclient.plist`. Never nil here.
    ///
    /// Without either, every call fails with `configuration`.
    public class func sharedInstance() -> WLClient! { instance }

    /// - Parameter failure: the error of all calls, if the configuration could not be read.
    init(
        _ configuration: WLConfiguration, failure: WLError?, transport: AnyTransport,
        registrations: some WLRegistrationStore, cookieJar: CookieJar,
        makePinnedTransport: (@Sendable (Set<Data>) throws -> any Transport)?, clock: some Clock<Duration>,
        date: @escaping @Sendable () -> Date
    ) {
        self.configuration = configuration
        makePinned = makePinnedTransport
        state = ClientState(configuration, failure: failure, transport: transport, cookieJar: cookieJar)
        authorization = AuthorizationService(
            state: state, handlers: handlers, store: registrations, clock: clock, date: date)
        // The vendor limits the resends of each call, not the refreshes of all calls. A token is used until it expires:
        // an earlier refresh could ask the user, in the middle of other work and for a token that is still valid.
        credentials = CredentialCache(
            MobileFirstAuthorizer(service: authorization, date: date),
            policy: RefreshPolicy(leeway: .zero, maximumFailures: .max, window: .zero), clock: clock)
        resources = state.resources(handlers, credentials)
        manager = WLAuthorizationManagerSwift(
            state: state, authorization: authorization, credentials: credentials)
    }

    /// Where completion handlers, delegates and challenge handlers are called; default the main queue.
    ///
    /// With another one, handlers that are formed on the main actor must be `@Sendable`: the compiler takes them for
    /// code of the main actor otherwise.
    public var delivery: Delivery {
        get { state.delivery }
        set { state.delivery = newValue }
    }

    /// The default timeout of requests in seconds; default ``WLConfiguration/requestTimeout``.
    public var defaultRequestTimeoutInterval: TimeInterval {
        get { state.requestTimeout }
        set { state.requestTimeout = newValue }
    }

    /// True if the configuration is complete.
    public var isInitialized: Bool { (try? state.server()) != nil }

    /// The cookies of the server. The vendor's method returned an `HTTPCookieStorage`, which this client does not use.
    public func HTTPCookieStorage() -> CookieJar { state.cookieJar }  // swift-format-ignore: AlwaysUseLowerCamelCase

    // MARK: Server

    /// The server's URL; nil if the configuration is invalid. Default that of the configuration.
    public func serverUrl() -> URL! { (try? state.server()).flatMap { URL(string: $0.text) } }

    /// Sets the server's URL, and deletes the registration, all tokens and learned scopes, also for an equal URL.
    ///
    /// Calls in flight end with the earlier server, or fail with `cancelled` if they wait for the app's user, or would
    /// get a token of the new server, or are refused by the earlier one.
    public func setServerUrl(_ url: URL!) {
        // Both at once: a job that begins later is one of the new server.
        let ended = authorization.endSession { state.setServer(url?.absoluteString ?? "") }
        handlers.endGatewayChallenges()
        authorization.forgetRegistration()
        credentials.removeAll(endsWaits: false)
        credentials.authorizer.scopes.removeAll()
        // Last, since the next job begins with it.
        authorization.finish(ended)
    }

    /// ``setServerUrl(_:)`` with the label of the vendor's Swift class.
    public func setServerUrl(url: URL!) { setServerUrl(url) }

    /// Sets the identifier of the device; the next token updates the registration. Default a generated one.
    public func setDeviceID(_ deviceID: String!) { state.deviceID = deviceID }

    /// Sets the interval of heartbeats in seconds; default 420. Zero or less disables them.
    ///
    /// They start after registration. A suspended app sends none.
    public func setHeartBeatInterval(_ interval: Int) { setHeartBeatInterval(TimeInterval(interval)) }

    /// Sets the interval of heartbeats in seconds, also with fractions.
    public func setHeartBeatInterval(_ interval: TimeInterval) { authorization.heartbeat.setInterval(interval) }

    /// `setHeartBeatInterval(_:)` with the label of the vendor's Swift class.
    public func setHeartBeatInterval(interval: Int) { setHeartBeatInterval(interval) }

    /// `setHeartBeatInterval(_:)` with the label of the vendor's Swift class.
    public func setHeartBeatInterval(interval: TimeInterval) { setHeartBeatInterval(interval) }

    // MARK: Headers

    /// Adds a header to all later requests, or replaces it. A request's own header of that name takes precedence.
    ///
    /// Without a name it is reported to ``WLConfiguration/warn`` and ignored; a nil value removes it.
    public func addGlobalHeader(_ name: String!, headerValue value: String!) {
        guard let name else { return configuration.warn("A global header without a name is ignored; pass a String.") }
        state.setGlobalHeader(name, value)
    }

    /// ``addGlobalHeader(_:headerValue:)`` with the labels of the vendor's Swift class.
    public func addGlobalHeader(headerName: String!, headerValue: String!) {
        addGlobalHeader(headerName, headerValue: headerValue)
    }

    /// Removes a global header.
    public func removeGlobalHeader(_ name: String!) {
        guard let name else { return }
        state.setGlobalHeader(name, nil)
    }

    /// ``removeGlobalHeader(_:)`` with the label of the vendor's Swift class.
    public func removeGlobalHeader(headerName: String!) { removeGlobalHeader(headerName) }

    /// The global headers; initially empty.
    public func getGlobalHeaders() -> [AnyHashable: Any]! {
        state.globalHeaders.reduce(into: [:]) { $0[AnyHashable($1.name)] = $1.value }
    }
}

extension WLClient: RedactedStringConvertible {
    /// The server's URL.
    public var description: String { "MobileFirst client of \((try? state.server())?.text ?? "no server")" }
}
