import Foundation
import HTTPMessages
public import PatchbayErrors
public import StoreCore
import Synchronization
public import Transport

/// The registration of an app with a SUP or SMP server over its REST interface.
///
/// ```swift
/// let connection = SMPClientConnection.initializeWithAppID("com.example.flights", domain: nil, secConfiguration: nil)
/// connection.setConnectionProfileWithHost("smp.example.com", port: 8080, farm: nil)
/// try await connection.register(user: "ann", password: password)
/// let request = SUPRequest(url: connection.profile?.proxyURL("FlightProxy"))
/// ```
/// Later SUP requests of the session carry the identifier that the server has assigned (APPCID). It survives the
/// process in a `LocalStore`, if the app passes one; the server's session cookie does not. Thread-safe.
public final class SMPClientConnection: Sendable {
    struct State: Sendable {
        var profile: SMPConnectionProfile?
        var version = "latest"
        var style: SMPHeaderStyle
        var certificate: URLSessionTransport.ClientCertificate?
        /// Nil until the store was read; the inner value is nil without a registration.
        var registration: SMPRegistration??
        /// Resolved at the end of the registration in progress; nil without one.
        var registering: Decision<Void>?
        /// The number of deleted registrations, by the profile's URL.
        var deletionCounts: [URL: Int] = [:]
    }

    /// The settings for one call, as they are when the app makes it.
    struct Server: Sendable {
        let profile: SMPConnectionProfile
        let version: String
        let certificate: URLSessionTransport.ClientCertificate?
        let session: SessionSnapshot
    }

    /// The session of the connection's requests.
    public let session: SDMSession
    /// The identifier of the application on the server.
    public let applicationID: String
    /// The domain on the server; nil for its default.
    public let domain: String?
    /// The security configuration on the server; nil for its default, `admin`. With `anonymous` requests use the path
    /// `public/` and no user.
    public let securityConfiguration: String?
    private let store: any SMPRegistrationStore
    let state: Mutex<State>

    /// Creates a connection.
    /// - Parameters:
    ///   - style: the prefix of the header fields; default that of SUP 2, which all servers accept. A server's cookies
    ///     change it.
    ///   - store: keeps the registration in a table of its own; default nil: it is kept for the process. Pass an
    ///     encrypted `SQLiteStore`, for example: the identifier is a secret.
    public init(
        applicationID: String, domain: String? = nil, securityConfiguration: String? = nil,
        style: SMPHeaderStyle = .sup, session: SDMSession = .shared, store: (any LocalStore)? = nil
    ) {
        self.applicationID = applicationID
        self.domain = domain
        self.securityConfiguration = securityConfiguration
        self.session = session
        self.store = store.map { SMPRegistrationTable(store: $0) } ?? SMPRegistrationMemory()
        state = Mutex(State(style: style))
    }

    /// The address of the server; nil until it is set. Each server has a registration of its own.
    public var profile: SMPConnectionProfile? {
        get { state.withLock(\.profile) }
        set {
            state.withLock { state in
                guard state.profile != newValue else { return }
                state.profile = newValue
                state.registration = nil
            }
        }
    }

    /// The version of the REST interface in its URLs; default `latest`, which SUP 2.2 and SMP 3 know, else `v1`.
    public var version: String {
        get { state.withLock(\.version) }
        set { state.withLock { $0.version = newValue } }
    }

    /// The certificate of the client; default nil. See ``SDMHttpRequest/clientCertificateIdentity``.
    public var clientCertificate: URLSessionTransport.ClientCertificate? {
        get { state.withLock(\.certificate) }
        set { state.withLock { $0.certificate = newValue } }
    }

    /// The server with the current settings.
    /// - Throws: ``SMPError`` (`emptyParameters`) without a profile.
    func server() throws(SMPError) -> Server {
        let snapshot = SessionSnapshot(session)
        let state = state.withLock(\.self)
        guard let profile = state.profile else { throw Self.noProfile }
        return Server(
            profile: profile, version: state.version, certificate: state.certificate, session: snapshot)
    }

    /// The number of deletions at a server: a request that was prepared before the last one keeps no identifier.
    func deletionCount(at profile: SMPConnectionProfile) -> Int {
        state.withLock { $0.deletionCounts[profile.baseURL, default: 0] }
    }

    /// The registration, from memory or the store; nil if the app is not registered, and without a profile.
    /// - Throws: ``SMPError`` (`store`).
    public func registration() throws(SMPError) -> SMPRegistration? {
        let (known, profile) = state.withLock { ($0.registration, $0.profile) }
        if let known { return known }
        return try profile.flatMap { profile throws(SMPError) in try registration(at: profile) }
    }

    /// The registration with one server, also if the app has set another profile meanwhile.
    /// - Throws: ``SMPError`` (`store`).
    func registration(at profile: SMPConnectionProfile) throws(SMPError) -> SMPRegistration? {
        let known = state.withLock { $0.profile == profile ? $0.registration : nil }
        if let known { return known }
        let server = profile.baseURL.absoluteString
        let stored: SMPRegistration?
        do {
            stored = try store.registration(of: applicationID, at: server)
        } catch {
            throw SMPError(
                .store, "Cannot read the registration from its store; see the underlying error.", underlying: error)
        }
        return state.withLock { state in
            guard state.profile == profile else { return stored }
            let registration = state.registration ?? stored
            state.registration = .some(registration)
            return registration
        }
    }

    /// Keeps the registration with a server in memory and in the store; nil removes it.
    ///
    /// In memory only if the app has not set another profile meanwhile: the identifier is for that server only.
    /// - Parameter deletionCount: without effect after a later deletion; nil to keep it in any case.
    /// - Throws: ``SMPError`` (`store`); it is kept in memory then.
    func keep(
        _ registration: SMPRegistration?, at profile: SMPConnectionProfile, unlessDeletedSince deletionCount: Int? = nil
    ) throws(SMPError) {
        let isCurrent = state.withLock { state in
            let current = state.deletionCounts[profile.baseURL, default: 0]
            guard deletionCount == nil || deletionCount == current else { return false }
            if registration == nil { state.deletionCounts[profile.baseURL] = current + 1 }
            guard state.profile == profile else { return true }
            state.registration = .some(registration)
            if let registration { state.style = registration.style }
            return true
        }
        guard isCurrent else { return }
        do {
            try store.set(registration, of: applicationID, at: profile.baseURL.absoluteString)
        } catch {
            throw SMPError(
                .store,
                "The registration is not stored, and is lost at the end of the process; see the underlying error.",
                underlying: error)
        }
    }

    var isAnonymous: Bool { securityConfiguration?.lowercased() == "anonymous" }

    static let noProfile = SMPError(
        .emptyParameters, "The connection has no server; call setConnectionProfileWithHost or set `profile`.")
}

extension SMPClientConnection: RedactedStringConvertible {
    /// The application.
    public var description: String { "application connection of \(applicationID)" }
}
