import Coordination
import Foundation
public import HTTPMessages
public import OData
import ResponseDecoding
import Synchronization
import Transport

extension SMPClientConnection {
    /// Registers the app for a user. An existing registration of this user is returned, without a request and without a
    /// check of the password, also one that another process has stored; so is that of a registration in progress, for
    /// which this waits. After its failure, and after a deletion in progress, this one registers. A registration whose
    /// user is not known, such as one of ``setRegistration(connectionID:)``, is returned to each user. One that the
    /// server does not know, as an OData error says by its code `NOT_ONBOARDED` or by status 404 of ``read()``, is
    /// forgotten, so this registers again.
    ///
    /// The registration of another user is replaced once the server has accepted this one. It stays on the server: call
    /// ``delete()`` as that user before. The session's cookies of a connection and its server's session are removed
    /// before: those that may go to ``SMPConnectionProfile/baseURL`` or below, so without a path in it, those of its
    /// whole host. Until the registration ends, no cookies of the server's responses to other users are kept.
    /// - Parameters:
    ///   - user: not needed with the security configuration `anonymous`.
    ///   - properties: of the application connection, such as `DeviceType`; nil values are null.
    /// - Throws: ``SMPError``; `CancellationError`.
    @discardableResult
    public func register(
        user: String = "", password: String = "", properties: [String: String?] = [:]
    ) async throws -> SMPRegistration {
        try await register(user: user, password: password, properties: properties, at: server())
    }

    /// Registers the app with a server, also if the app has set another one meanwhile.
    @discardableResult
    func register(
        user: String, password: String, properties: [String: String?] = [:], at server: Server
    ) async throws -> SMPRegistration {
        guard isAnonymous || !user.isEmpty && !password.isEmpty, !applicationID.isEmpty else {
            throw SMPError(.emptyParameters, "The user, the password or the application ID is empty.")
        }
        try Self.checkEditable(properties)
        let profile = server.profile
        // First, so that the registration in progress is the one that is found.
        let hold = try await registering.lock([profile.baseURL])
        defer { hold.release() }
        // What is known here is used while the store cannot be read.
        _ = try? reload(at: profile)
        if let known = try registration(at: profile), known.belongs(to: user) { return known }
        // First, so that a response to another user brings none back.
        setRegisteringUser(user, at: profile)
        defer { setRegisteringUser(nil, at: profile) }
        // They may be those of a registration that this object does not know.
        removeCookies(of: profile)
        let url = connectionsURL(at: server)
        let response = try await send("POST", to: url, of: server, properties, user: user, password: password)
        guard response.status == .created else { throw SMPError(refused: response, by: "The registration") }
        var registration = try registration(from: response)
        if !isAnonymous { registration.user = user }
        try keep(registration, at: profile)
        return registration
    }

    /// Reads the properties of the application connection.
    /// - Throws: ``SMPError``; `CancellationError`.
    public func read() async throws -> ODataEntry<JSONValue> {
        let server = try server()
        let response = try await send("GET", to: connectionURL(at: server), of: server)
        guard response.status == .ok else { throw SMPError(refused: response, by: "Reading the connection") }
        do {
            return try response.decoded(as: .odataEntry(JSONValue.self))
        } catch {
            throw SMPError(error)
        }
    }

    /// Replaces all properties (`PUT`).
    /// - Parameter etag: of the entry that was read; nil to replace any version.
    /// - Throws: ``SMPError``; `CancellationError`.
    public func replace(_ properties: [String: String?], etag: String? = nil) async throws {
        try await change("PUT", properties, etag)
    }

    /// Changes some properties (`MERGE`).
    /// - Parameter etag: of the entry that was read; nil to change any version.
    /// - Throws: ``SMPError``; `CancellationError`.
    public func update(_ properties: [String: String?], etag: String? = nil) async throws {
        try await change("MERGE", properties, etag)
    }

    /// Deletes the application connection on the server, and forgets it. One that the server does not know is
    /// forgotten; one that another process has stored meanwhile stays. Waits for a registration in progress.
    /// - Throws: ``SMPError``; `CancellationError`. The registration stays then.
    public func delete() async throws { try await delete(user: nil, password: nil) }

    func delete(user: String?, password: String?) async throws {
        let server = try server()
        let profile = server.profile
        let known = knownRegistration(at: profile)
        _ = try? reload(at: profile)
        var asked = try registration(at: profile)
        // Another process has registered the next user: the one that was known here is deleted, at the server only.
        if let known, let other = asked, other.user != known.user { asked = known }
        // A registration meanwhile would be that of the next user, and forgotten with this one. After one that was in
        // progress, what the app has asked for is deleted at the server only.
        let hold = try await registering.lock([profile.baseURL])
        defer { hold.release() }
        // First, so that an identifier that the app sets meanwhile stays.
        let deletionCount = deletionCount(at: profile)
        let current = try registration(at: profile)
        let isReplaced = asked != nil && asked?.connectionID != current?.connectionID
        let url = try isReplaced ? connectionURL(of: asked, at: server) : connectionURL(at: server)
        let response = try await send(
            "DELETE", to: url, of: server, user: user, password: password, isOfFormer: isReplaced)
        guard response.status.isSuccessful || response.status == .notFound else {
            throw SMPError(refused: response, by: "Deleting the connection")
        }
        guard !isReplaced, deletionCount == self.deletionCount(at: profile) else { return }
        // Afterwards, so that a late response brings none back; also if the store fails.
        defer { removeCookies(of: profile) }
        try keep(nil, at: profile, unlessDeletedSince: deletionCount)
    }

    /// Removes the server's cookies of the connection, with which it would register the same one again.
    func removeCookies(of profile: SMPConnectionProfile) {
        let names = SMPHeaderStyle.allCases.flatMap { [$0.connectionID, $0.sessionID] }
        for cookie in session.cookies.cookies where names.contains(cookie.name) && profile.receives(cookie) {
            session.cookies.remove(cookie)
        }
    }

    private func change(_ method: String, _ properties: [String: String?], _ etag: String?) async throws {
        try Self.checkEditable(properties)
        let server = try server()
        let response = try await send(method, to: connectionURL(at: server), of: server, properties, etag: etag)
        guard response.status.isSuccessful else { throw SMPError(refused: response, by: "Changing the connection") }
    }

    /// Refuses the properties that the server assigns.
    private static func checkEditable(_ properties: [String: String?]) throws(SMPError) {
        let fixed: Set = ["ApplicationConnectionId", "ETag"]
        if let name = properties.keys.first(where: fixed.contains) {
            throw SMPError(.notEditable, "The server assigns the property \(name); leave it out.")
        }
    }

    private func connectionsURL(at server: Server) -> URL {
        server.profile.connections(of: applicationID, version: server.version, isAnonymous: isAnonymous)
    }

    /// The URL of the application connection below the profile's, since that in `Location` may be internal.
    private func connectionURL(at server: Server) throws(SMPError) -> URL {
        try connectionURL(of: registration(at: server.profile), at: server)
    }

    private func connectionURL(of registration: SMPRegistration?, at server: Server) throws(SMPError) -> URL {
        guard let id = registration?.connectionID else {
            throw SMPError(.notRegistered, "The app has no application connection; register a user first.")
        }
        return server.profile.connection(id, of: applicationID, version: server.version, isAnonymous: isAnonymous)
    }

    /// Reads the identifier from the cookie or field of a response, from `Location`, or from its entry.
    private func registration(from response: HTTPResponse) throws(SMPError) -> SMPRegistration {
        let style = state.withLock(\.style)
        let location = response.fields[.location] ?? ""
        let entry = try? ODataEntry(parsing: response.body, as: JSONValue.self)
        let id =
            SMPConnectionID(response.head) ?? SMPConnectionID(location: location, style: style)
            ?? entry?.value["ApplicationConnectionId"]?.string.flatMap { SMPConnectionID($0, style: style) }
        guard let id else {
            throw SMPError(
                .parser,
                "The server's response has no identifier of the connection; expected a cookie \(style.connectionID) or "
                    + "a Location that ends with Connections('...').", statusCode: response.status.code)
        }
        return SMPRegistration(
            applicationID: applicationID, connectionID: id.value, location: location, style: id.style)
    }

    private func send(
        _ method: String, to url: URL, of server: Server, _ properties: [String: String?]? = nil,
        etag: String? = nil, user: String? = nil, password: String? = nil, isOfFormer: Bool = false
    ) async throws -> HTTPResponse {
        let request = SUPRequest(url: url, session: session)
        request.connection = self
        request.hasNoIdentifier = method == "POST" || isOfFormer
        if isOfFormer { request.useCookiePersistence = false }
        request.state.withLock { $0.sessionAtStart = server.session }
        request.setRequestMethod(method)
        request.setUserName(user)
        request.setPassword(password)
        request.setClientCertificateIdentity(server.certificate)
        request.addRequestHeader("Accept", value: "\(AtomWriter.mediaType), application/json")
        if let etag { request.setEtag(etag, with: .ifMatch) }
        do {
            if let properties {
                request.addRequestHeader("Content-Type", value: AtomWriter.mediaType)
                request.appendPost(try AtomWriter.entry(properties))
            }
            let response = try await request.perform()
            // A redirect may make a GET of a write, and its target may be another server.
            let heads = request.state.withLock(\.results.followedHeads) + [response.head]
            guard request.requestMethod == method, heads.allSatisfy({ server.profile.contains($0.url) }) else {
                throw SMPError(
                    .internalError,
                    "The response to \(method) is that of \(response.head.requestDescription), to which a redirect "
                        + "led; check `profile`, and the gateway before the server.",
                    statusCode: response.status.code)
            }
            return response
        } catch let error as CancellationError {
            throw error
        } catch {
            throw SMPError(error, statusCode: request.responseHead?.status.code)
        }
    }
}
