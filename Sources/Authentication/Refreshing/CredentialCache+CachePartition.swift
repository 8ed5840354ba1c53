import Coordination
public import HTTPMessages
import Transport

extension CredentialCache {
    /// The user of a request's credential for a cache, as requests with it have it; nil without a credential.
    ///
    /// Also of a credential that has expired, or whose sign-in has ended. For a sign-out: take it before
    /// ``removeAll()``, and pass it to `HTTPCache.removeAll(partition:)`.
    public func cachePartition(of request: HTTPRequest) -> CachePartition? {
        guard let scope = authorizer.scope(of: request), let last = last(scope) else { return nil }
        var attempt = request
        guard (try? authorizer.authorize(&attempt, with: last.credential)) != nil else { return nil }
        let user = authorizer.cacheUser(of: last.credential, for: scope) ?? last.cacheUser
        attempt.setCachePartition(user: user, original: request.fields)
        if let partition = attempt.options.cachePartition { return partition }
        return attempt.fields[.authorization].map { .credential($0) }
    }

    /// A credential with its user, which the authorizer names now: later another user may have signed in.
    func named(
        _ issued: IssuedCredential<A.Credential>, for scope: A.Scope
    ) -> IssuedCredential<A.Credential> {
        var named = issued
        named.cacheUser = authorizer.cacheUser(of: issued.credential, for: scope)
        return named
    }

    /// Adds a credential to a request, and says to the layers below whose it is and in which fields.
    func add(_ credential: A.Credential, of scope: A.Scope, to request: inout HTTPRequest) throws {
        let original = request.fields
        try authorizer.authorize(&request, with: credential)
        request.setCachePartition(user: authorizer.cacheUser(of: credential, for: scope), original: original)
        request.setCredentialFields(original: original)
    }

    /// The last credential of a scope, also one that has expired, here or in the store of the authorizer.
    func lastLease(_ scope: A.Scope) async -> Lease? {
        if let last = last(scope) { return authorizer.isCurrent(last.credential, for: scope) ? last : nil }
        guard let stored = await authorizer.lastCredential(for: scope) else { return nil }
        // Of no refresh: what a server says of it changes nothing in the table. It may be of the next user already.
        return Lease(
            stored, for: scope, generation: .max, signOut: lastSignOut, refreshTime: .zero, expiry: .zero)
    }
}

extension HTTPRequest {
    /// Names the user of a credential to a cache below, unless the app has named one.
    ///
    /// Of a credential without a user, the fields are the user that it sends besides `Authorization`, which a cache
    /// reads by itself.
    /// - Parameters:
    ///   - user: what ``Authorizer/cacheUser(of:for:)`` says.
    ///   - original: the fields without the credential.
    fileprivate mutating func setCachePartition(user: String?, original: HTTPFields) {
        guard !options.hasLayerOptions || options.cachePartition == nil else { return }
        if let user {
            options.cachePartition = CachePartition("user \(user)")
            return
        }
        // Almost always one field was appended.
        if fields.count == original.count + 1, let added = fields.last?.name, added.isReadByCaches { return }
        let known = Set(original)
        let added = fields.filter { !known.contains($0) }
        guard !added.allSatisfy(\.name.isReadByCaches) else { return }
        // A field of all users, such as the key of an app, does not hide the user's own.
        let parts = added + fields.filter { $0.name == .authorization && known.contains($0) }
        options.cachePartition = CachePartition(
            "credential " + parts.map { "\($0.name.canonicalName): \($0.value)" }.joined(separator: "\n"))
    }
}

extension HTTPRequest {
    /// Names the fields of a credential to ``Redirecting``, which knows `Authorization`.
    fileprivate mutating func setCredentialFields(original: HTTPFields) {
        // Almost always one field was appended.
        if fields.count == original.count + 1, let added = fields.last?.name, added.isReadByCaches { return }
        let known = Set(original)
        let names = fields.lazy.filter { !known.contains($0) }.map(\.name).filter { !$0.isReadByCaches }
        if !names.isEmpty { options.credentialFields.formUnion(names) }
    }
}

extension HTTPFieldName {
    /// True for `Authorization`, and for the field of a proxy, which has no responses of its own.
    fileprivate var isReadByCaches: Bool { self == .authorization || self == .proxyAuthorization }
}
