import Foundation
import HTTPMessages

/// The challenges that were met, by server or proxy, as a state machine without lock or hash.
///
/// A later request to a URL of a known space is authorized before it is challenged again:
///
/// ```
/// unknown   -learn->   known      a challenge is stored with the paths that it covers
/// known     -open->    open       a session of Digest starts: a credential, a nonce and its count
/// open      -learn: another nonce-> known
/// open      -advance-> open       the server's next nonce replaces the one that was used, and its count starts again
/// any       -forget->  unknown
/// ```
struct KnownSpaces: Sendable {
    struct Entry: Sendable {
        let space: ProtectionSpace
        var content: SupportedChallenge
        /// Prefixes of the paths in the space, most recent last.
        var prefixes: [String]
        /// Only for Digest, once there is a credential.
        var session: DigestSession?
    }

    // A server may change its realm with each response.
    private static let maximumSpaces = 64
    private static let maximumPrefixes = 16

    /// In the order in which they were learned, later ones last.
    private var entries: [ProtectionSpace.Recipient: [Entry]] = [:]

    /// The entry of a space.
    func entry(for space: ProtectionSpace) -> Entry? {
        entries[space.recipient]?.first { $0.space.realm == space.realm }
    }

    /// The entry with the longest prefix of a path; of equal ones, the last learned.
    func entry(for recipient: ProtectionSpace.Recipient, path: String) -> Entry? {
        guard let entries = entries[recipient] else { return nil }
        if entries.count == 1, entries[0].prefixes.contains("") { return entries[0] }
        var best: (entry: Entry, length: Int)?
        for entry in entries {
            let lengths = entry.prefixes.lazy.filter { path.utf8.starts(with: $0.utf8) }.map(\.utf8.count)
            guard let length = lengths.max(), length >= best?.length ?? 0 else { continue }
            best = (entry, length)
        }
        return best?.entry
    }

    /// Stores a challenge. A session with the same nonce continues, so that no count is used twice.
    mutating func learn(_ challenge: PasswordChallenge) {
        var list = entries[challenge.space.recipient] ?? []
        let index = list.firstIndex { $0.space == challenge.space }
        let old = index.map { list.remove(at: $0) }
        var prefixes = old?.prefixes ?? []
        for prefix in Self.prefixes(of: challenge) where !prefixes.contains(prefix) { prefixes.append(prefix) }
        var entry = Entry(
            space: challenge.space, content: challenge.content, prefixes: prefixes.suffix(Self.maximumPrefixes))
        if case .digest(let content) = challenge.content, let session = old?.session, session.isUsable(for: content) {
            entry.session = session
        }
        list.append(entry)
        entries[challenge.space.recipient] = list.suffix(Self.maximumSpaces)
    }

    /// Starts a session, unless the space has one with the same nonce and credential.
    /// - Returns: the session to use.
    mutating func open(_ session: DigestSession, in space: ProtectionSpace) -> DigestSession {
        guard let position = position(of: space) else { return session }
        if let current = entries[space.recipient]?[position].session, current.nonce.value == session.nonce.value,
            current.credential == session.credential
        {
            return current
        }
        entries[space.recipient]?[position].session = session
        return session
    }

    /// Replaces a session after the server has announced its next nonce; without effect if another one has replaced it.
    mutating func advance(_ session: DigestSession, to next: DigestSession, in space: ProtectionSpace) {
        guard let position = position(of: space), entries[space.recipient]?[position].session === session else {
            return
        }
        entries[space.recipient]?[position].session = next
    }

    mutating func forget(_ space: ProtectionSpace) { entries[space.recipient]?.removeAll { $0.space == space } }

    mutating func removeAll() { entries = [:] }

    private func position(of space: ProtectionSpace) -> Int? {
        entries[space.recipient]?.firstIndex { $0.space == space }
    }

    /// The URLs of a challenge's space: the folder of the challenged URL, or the domain of Digest.
    ///
    /// RFC 7617, section 2.2, and RFC 7616, section 3.3; a domain that is not stated is the whole server.
    private static func prefixes(of challenge: PasswordChallenge) -> [String] {
        guard let origin = challenge.space.recipient.origin, !challenge.isProxy else { return [""] }
        let path = challenge.path.prefix { $0 != "?" }
        var prefixes = [String(path[...(path.lastIndex(of: "/") ?? path.startIndex)])]
        guard case .digest(let content) = challenge.content else { return prefixes }
        if content.domain.isEmpty { prefixes.append("") }
        let base = URLReference("\(origin.text)\(challenge.path)"[...])
        // More are not kept.
        for uri in content.domain.prefix(maximumPrefixes) {
            let target = URLReference(uri[...]).resolved(against: base)
            // Never another origin, even if the server states one.
            if Origin(target) == origin { prefixes.append(String(target.path)) }
        }
        return prefixes
    }
}

extension DigestSession {
    /// True if a challenge has the nonce and all else of this session.
    fileprivate func isUsable(for challenge: DigestChallenge) -> Bool {
        nonce.value == challenge.nonce && self.challenge.algorithm == challenge.algorithm
            && self.challenge.protection == challenge.protection && self.challenge.opaque == challenge.opaque
    }
}
