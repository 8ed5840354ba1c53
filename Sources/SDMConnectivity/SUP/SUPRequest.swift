import Coordination
public import Foundation
import HTTPMessages
import OData
import Synchronization

/// A request to a Sybase Unwired Platform or SAP Mobile Platform server, over its REST interface.
///
/// It is an HTTP request that also carries the identifier of the application connection (``SMPClientConnection``), as
/// `X-SUP-APPCID` or `X-SMP-APPCID`, to the server of that connection only. Without a registration the server creates
/// one, which is kept, or refuses the request with 403, which is a normal response. The vendor's class used a messaging
/// channel that is not public; its progress, cookies and redirects were more limited than here.
open class SUPRequest: SDMHttpRequest, @unchecked Sendable {
    private struct SUPState: Sendable {
        var connection: SMPClientConnection?
        var channelPolicy = SUPChannelPolicy.rest
        var backendURL: URL?
        var hasNoIdentifier = false
        /// The deletions of the connection before the last attempt; nil if it was sent without one.
        var deletionCount: Int?
    }

    private let supState = Mutex(SUPState())

    /// The error of a request by ``SUPChannelPolicy/fail``.
    static let channelError = SDMConnectivityException(
        .supRequestInitError,
        "The SUP messaging channel is not available; use SUPChannelPolicy.rest, or HTTPRequestType.")

    /// The application connection; default that of the session, at the start of the request.
    public var connection: SMPClientConnection? {
        get { supState.withLock(\.connection) ?? sessionAtStart.value.connection }
        set { supState.withLock { $0.connection = newValue } }
    }

    /// What the request does without the vendor's channel; default ``SUPChannelPolicy/rest``.
    public var channelPolicy: SUPChannelPolicy {
        get { supState.withLock(\.channelPolicy) }
        set { supState.withLock { $0.channelPolicy = newValue } }
    }

    /// The URL to which the server forwards the request, without rewriting URLs in the response; default nil.
    public var backendURL: URL? {
        get { supState.withLock(\.backendURL) }
        set { supState.withLock { $0.backendURL = newValue } }
    }

    /// True for a request that registers a user, or deletes a former registration: it carries no identifier, which
    /// would be that of another user, and takes none.
    var hasNoIdentifier: Bool {
        get { supState.withLock(\.hasNoIdentifier) }
        set { supState.withLock { $0.hasNoIdentifier = newValue } }
    }

    /// Returns an unstarted request with the same settings.
    open override func copy(with zone: NSZone? = nil) -> Any {
        let copy = super.copy(with: zone)
        (copy as? SUPRequest)?.takeState(of: self)
        return copy
    }

    private func takeState(of other: SUPRequest) {
        let state = other.supState.withLock(\.self)
        supState.withLock { $0 = state }
    }

    /// One of the same connection, since the server may assign the identifier in its response.
    override func makeTokenFetch(from url: URL) -> SDMHttpRequest {
        let fetch = SUPRequest(url: url, session: session)
        fetch.takeState(of: self)
        return fetch
    }

    override func prepare(_ request: inout HTTPMessages.HTTPRequest) async throws -> CredentialRejection? {
        let own = supState.withLock(\.self)
        guard own.channelPolicy == .rest else {
            throw SDMError(
                .internalErrorWhileBuildingRequest, Self.channelError.message, underlying: Self.channelError)
        }
        // To this server only: the identifier is a secret.
        guard belongsToSession, let connection, let profile = connection.profile, profile.contains(request.url) else {
            return try await super.prepare(&request)
        }
        // First, so that a deletion meanwhile counts.
        let deletionCount = connection.deletionCount(at: profile)
        supState.withLock { $0.deletionCount = deletionCount }
        let registration = own.hasNoIdentifier ? nil : try connection.registration(at: profile)
        try connection.addFields(to: &request, of: registration, backend: own.backendURL)
        let rejection = try await super.prepare(&request)
        guard !own.hasNoIdentifier, registration == nil else { return rejection }
        // The server may have assigned it in the response to the fetch of a token.
        let assigned = try connection.registration(at: profile)
        guard belongsToSession, deletionCount == connection.deletionCount(at: profile) else { return rejection }
        try connection.addFields(to: &request, of: assigned, backend: own.backendURL)
        return rejection
    }

    override func keepsCookies(of head: HTTPResponseHead) -> Bool {
        guard super.keepsCookies(of: head) else { return false }
        guard !hasNoIdentifier, let connection, let profile = connection.profile, profile.contains(head.url),
            let deletionCount = supState.withLock(\.deletionCount)
        else { return true }
        return connection.keepsCookies(from: profile, user: credentialName, deletionCount: deletionCount)
    }

    override func received(_ head: HTTPResponseHead, of request: HTTPMessages.HTTPRequest) async -> Bool {
        // After `clear()`, the identifier is that of the former user. A challenge is for no user yet.
        if belongsToSession, !hasNoIdentifier, head.status != .unauthorized, let connection,
            let profile = connection.profile, profile.contains(request.url),
            let deletionCount = supState.withLock(\.deletionCount)
        {
            connection.receive(head, from: profile, user: credentialName, deletionCount: deletionCount)
        }
        return await super.received(head, of: request)
    }

    override func completed(_ head: HTTPResponseHead, of request: HTTPMessages.HTTPRequest) {
        super.completed(head, of: request)
        guard belongsToSession, let connection, let profile = connection.profile, profile.contains(request.url),
            let deletionCount = supState.withLock(\.deletionCount)
        else { return }
        connection.completed(
            head, state.withLock(\.results.body) ?? Data(), of: request, user: credentialName, at: profile,
            deletionCount: deletionCount)
    }
}

extension SMPClientConnection {
    /// Adds the fields of this connection, except those that the request has.
    /// - Throws: `HTTPMessageError`.
    fileprivate func addFields(
        to request: inout HTTPMessages.HTTPRequest, of registration: SMPRegistration?, backend: URL?
    ) throws {
        let style = registration?.style ?? state.withLock(\.style)
        let fields = [
            (style.connectionID, registration?.connectionID), (style.domain, domain),
            (style.securityConfiguration, securityConfiguration), (style.backendURL, backend?.absoluteString),
        ]
        for (name, value) in fields where request.fields[name] == nil {
            if let value { try request.fields.set(name, to: value) }
        }
    }

    /// Forgets the registration whose identifier a request has carried, if the response says that the server does not
    /// know it: the app can register again.
    /// - Parameters:
    ///   - user: that of the request's credentials; nil without.
    ///   - deletionCount: that of the request. After a deletion, the registration may be a later one of the same
    ///     identifier.
    fileprivate func completed(
        _ head: HTTPResponseHead, _ body: Data, of request: HTTPMessages.HTTPRequest, user: String?,
        at profile: SMPConnectionProfile, deletionCount: Int
    ) {
        guard let known = try? registration(at: profile), deletionCount == self.deletionCount(at: profile),
            SMPHeaderStyle.allCases.contains(where: { request.fields[$0.connectionID] == known.connectionID }),
            // The server does not know it as another user's.
            user == nil || known.user == nil || user == known.user
        else { return }
        let isUnknown =
            switch head.status {
            case .forbidden: ODataErrorDocument(parsing: body)?.code == "NOT_ONBOARDED"
            // Of the connection, not of a resource below it, and not the page of a proxy. A deletion forgets it itself.
            case .notFound:
                request.method != .delete && request.url.absoluteString.hasSuffix("')")
                    && SMPConnectionID(location: request.url.absoluteString, style: known.style)?.value
                        == known.connectionID
                    && ODataErrorDocument(parsing: body) != nil
            default: false
            }
        guard isUnknown else { return }
        // A store that fails still has it for the next process, whose server refuses it again.
        try? keep(nil, at: profile, insteadOf: known, unlessDeletedSince: deletionCount)
        // Afterwards, so that a late response brings none back.
        removeCookies(of: profile)
    }

    /// Keeps the identifier of a response, if the server has assigned another one.
    /// - Parameters:
    ///   - user: that of the request's credentials; nil without.
    ///   - deletionCount: that of the request. After a deletion, the identifier may be the deleted one.
    fileprivate func receive(
        _ head: HTTPResponseHead, from profile: SMPConnectionProfile, user: String?, deletionCount: Int
    ) {
        guard deletionCount == self.deletionCount(at: profile), let id = SMPConnectionID(head),
            let current = try? registration(at: profile)?.connectionID ?? "", id.value != current
        else { return }
        let location = profile.connection(id.value, of: applicationID, version: version, isAnonymous: isAnonymous)
        // A store that fails is reported by `registration()` of the next process; this one has it in memory.
        try? keep(
            SMPRegistration(
                applicationID: applicationID, connectionID: id.value, location: location.absoluteString,
                style: id.style,
                user: user ?? (try? registration(at: profile))?.user),
            at: profile, unlessDeletedSince: deletionCount)
    }
}
