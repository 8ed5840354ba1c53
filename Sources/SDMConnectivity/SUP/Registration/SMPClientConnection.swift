import Coordination
import Foundation
import HTTPMessages
public import PatchbayErrors
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
/// process if the app passes a store, such as a ``SMPFileRegistrationStore``; the server's session cookie does not.
/// Thread-safe.
public final class SMPClientConnection: Sendable {
    struct State: Sendable {
        var profile: SMPConnectionProfile?
        var version = "latest"
        var style: SMPHeaderStyle
        var certificate: URLSessionTransport.ClientCertificate?
        /// What is known of each server, by the profile's URL.
        var servers: [URL: Registered] = [:]
    }

    /// The registration with one server.
    struct Registered: Sendable {
        /// Nil until the store was read; the inner value is nil without a registration.
        var registration: SMPRegistration??
        /// What the store has had at the last load or save.
        var stored: SMPRegistration?
        /// The number of registrations that were deleted, or replaced by that of another user or one of the app.
        var deletionCount = 0
        /// The user whose registration is in progress; nil without one.
        var registeringUser: String?

        /// Replaces the registration.
        mutating func replace(with next: SMPRegistration?, isOfApp: Bool = false) {
            let current = registration ?? nil
            let (user, isOther) = (current?.user, current?.connectionID != next?.connectionID)
            if next == nil || isOfApp && isOther || user != nil && user != next?.user { deletionCount += 1 }
            registration = .some(next)
        }
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
    private let store: (any SMPRegistrationStore)?
    let state: Mutex<State>
    /// The servers with which the app registers at the moment.
    let registering = ExclusiveLocks<URL>()

    /// Creates a connection.
    /// - Parameters:
    ///   - style: the prefix of the header fields; default that of SUP 2, which all servers accept. A server's cookies
    ///     change it.
    ///   - store: keeps the registrations; default nil, only for the process.
    public init(
        applicationID: String, domain: String? = nil, securityConfiguration: String? = nil,
        style: SMPHeaderStyle = .sup, session: SDMSession = .shared, store: (any SMPRegistrationStore)? = nil
    ) {
        self.applicationID = applicationID
        self.domain = domain
        self.securityConfiguration = securityConfiguration
        self.session = session
        self.store = store
        state = Mutex(State(style: style))
    }

    /// The address of the server; nil until it is set. Each server has a registration of its own.
    public var profile: SMPConnectionProfile? {
        get { state.withLock(\.profile) }
        set { state.withLock { $0.profile = newValue } }
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
        let snapshot = session.sap.snapshot
        let state = state.withLock(\.self)
        guard let profile = state.profile else { throw Self.noProfile }
        return Server(
            profile: profile, version: state.version, certificate: state.certificate, session: snapshot)
    }

    /// The number of deletions and changes of the user at a server: a request that was prepared before the last one
    /// keeps no identifier, and a deletion forgets none.
    func deletionCount(at profile: SMPConnectionProfile) -> Int {
        state.withLock { $0.servers[profile.baseURL]?.deletionCount ?? 0 }
    }

    func setRegisteringUser(_ user: String?, at profile: SMPConnectionProfile) {
        state.withLock { $0.servers[profile.baseURL, default: Registered()].registeringUser = user }
    }

    /// Tells whether the cookies of a response are kept.
    ///
    /// Not if its request is from before a deletion or a change of the user, nor while another user than that of the
    /// request is being registered: they would go out with the requests of that one.
    /// - Parameters:
    ///   - user: that of the request's credentials; nil without.
    ///   - deletionCount: that of the request.
    func keepsCookies(from profile: SMPConnectionProfile, user: String?, deletionCount: Int) -> Bool {
        state.withLock { state in
            guard let known = state.servers[profile.baseURL] else { return true }
            return deletionCount == known.deletionCount && known.registeringUser.map { $0 == user ?? "" } ?? true
        }
    }

    /// The registration with the server, from memory or the store; nil if the app is not registered, and without a
    /// profile.
    /// - Throws: ``SMPError`` (`store`).
    public func registration() throws(SMPError) -> SMPRegistration? {
        guard let profile else { return nil }
        return try registration(at: profile)
    }

    /// The registration with one server, also if the app has set another profile meanwhile.
    /// - Throws: ``SMPError`` (`store`).
    func registration(at profile: SMPConnectionProfile) throws(SMPError) -> SMPRegistration? {
        let server = profile.baseURL
        if let known = state.withLock({ $0.servers[server]?.registration }) { return known }
        let stored = try load(at: server)
        return state.withLock { state in
            var known = state.servers[server] ?? Registered()
            // Meanwhile the server may have assigned one.
            if let registration = known.registration { return registration }
            (known.registration, known.stored) = (.some(stored), stored)
            state.servers[server] = known
            return stored
        }
    }

    /// The registration in memory.
    func knownRegistration(at profile: SMPConnectionProfile) -> SMPRegistration? {
        state.withLock { $0.servers[profile.baseURL]?.registration ?? nil }
    }

    /// Reads the store again, and takes what another object or process has changed there.
    /// - Returns: whether it has another registration, or none any more.
    /// - Throws: ``SMPError`` (`store`).
    @discardableResult
    func reload(at profile: SMPConnectionProfile) throws(SMPError) -> Bool {
        let server = profile.baseURL
        guard store != nil, let former = state.withLock({ $0.servers[server] }), former.registration != nil else {
            return false
        }
        let stored = try load(at: server)
        let isReplaced = state.withLock { state in
            // What this object has changed stays: since the load, or before, when it could not be saved.
            guard var known = state.servers[server], known.registration == former.registration, stored != former.stored
            else { return false }
            known.replace(with: stored)
            known.stored = stored
            state.servers[server] = known
            return former.registration??.connectionID != stored?.connectionID
        }
        // They are those of the former one.
        if isReplaced { removeCookies(of: profile) }
        return isReplaced
    }

    private func load(at server: URL) throws(SMPError) -> SMPRegistration? {
        do {
            return try store?.load(applicationID, at: server).flatMap {
                SMPConnectionID.isValid($0.connectionID) ? $0 : nil
            }
        } catch {
            throw SMPError(
                .store, "Cannot read the registration from its store; see the underlying error.", underlying: error)
        }
    }

    /// Keeps the registration with a server in memory and in the store; nil removes it.
    /// - Parameters:
    ///   - former: without effect if another one has replaced it meanwhile; nil to replace any.
    ///   - deletionCount: without effect after a later deletion; nil to keep it in any case.
    ///   - isOfApp: true for one that the app sets, which may be that of another user.
    /// - Throws: ``SMPError`` (`store`); it is kept in memory then.
    func keep(
        _ registration: SMPRegistration?, at profile: SMPConnectionProfile, insteadOf former: SMPRegistration? = nil,
        unlessDeletedSince deletionCount: Int? = nil, isOfApp: Bool = false
    ) throws(SMPError) {
        let server = profile.baseURL
        // One that another object or process has stored stays. A store that cannot be read fails below.
        if registration == nil, (try? reload(at: profile)) == true { return }
        let isKept = state.withLock { state in
            var known = state.servers[server] ?? Registered()
            let current = known.registration ?? nil
            guard deletionCount == nil || deletionCount == known.deletionCount, former == nil || former == current
            else { return false }
            known.replace(with: registration, isOfApp: isOfApp)
            state.servers[server] = known
            if let registration, state.profile == profile { state.style = registration.style }
            return true
        }
        guard isKept else { return }
        do {
            // Again if another thread has changed it meanwhile, whose earlier `save` this one may have replaced.
            var saved: SMPRegistration?
            repeat {
                saved = current(at: server)
                try store?.save(saved, of: applicationID, at: server)
                state.withLock { $0.servers[server]?.stored = saved }
            } while current(at: server) != saved
        } catch {
            throw SMPError(
                .store,
                "The registration is not stored, and is lost at the end of the process; see the underlying error.",
                underlying: error)
        }
    }

    private func current(at server: URL) -> SMPRegistration? {
        state.withLock { $0.servers[server]?.registration ?? nil }
    }

    var isAnonymous: Bool { securityConfiguration?.lowercased() == "anonymous" }

    static let noProfile = SMPError(
        .emptyParameters, "The connection has no server; call setConnectionProfileWithHost or set `profile`.")
}

extension SMPClientConnection: RedactedStringConvertible {
    /// The application.
    public var description: String { "application connection of \(applicationID)" }
}
