import Foundation
import HTTPMessages
import Testing

@testable import Authentication

@Suite struct KnownSpacesTests {
    private func challenge(_ value: String, at path: String = "/", origin: String = "http://h") throws
        -> PasswordChallenge
    {
        let request = try HTTPRequest(.get, origin + path)
        let content = try SupportedChallenge(#require(AuthenticationChallenge.parse([value]).first))
        return PasswordChallenge(content, of: .server(request.origin), to: request)
    }

    private func session(_ challenge: PasswordChallenge, _ credential: PasswordCredential = mufasa) throws
        -> DigestSession
    {
        guard case .digest(let content) = challenge.content else { throw LoopEnded() }
        let nonce = DigestNonce(content.nonce, clientValue: "c")
        return DigestSession(credential, content, try DigestKey(credential, content, nonce), nonce)
    }

    private func realm(_ spaces: KnownSpaces, _ path: String, origin: String = "http://h") throws -> String? {
        let request = try HTTPRequest(.get, origin + path)
        return spaces.entry(for: .server(request.origin), path: path)?.space.realm
    }

    /// Challenges at paths, then the realm of a path.
    @Test(
        arguments: [
            ([("Basic realm=a", "/x/y?z=/q/")], "/x/z", "a"), ([("Basic realm=a", "/x/y")], "/x", nil),
            ([("Basic realm=a", "/x/y")], "/x/y/z", "a"), ([("Basic realm=a", "/")], "/z", "a"),
            ([("Digest realm=a, nonce=n", "/x/y")], "/z", "a"),
            ([("Digest realm=a, nonce=n, domain=\"/d http://h/e\"", "/x/y")], "/z", nil),
            ([("Digest realm=a, nonce=n, domain=\"/d http://h/e\"", "/x/y")], "/d/1", "a"),
            ([("Digest realm=a, nonce=n, domain=\"/d http://h:80/e\"", "/x/y")], "/e/1", "a"),
            ([("Digest realm=a, nonce=n, domain=\"https://h/ http://g/\"", "/x/y")], "/z", nil),
            ([("Digest realm=a, nonce=n, domain=sub", "/x/y")], "/x/sub/1", "a"),
            ([("Basic realm=a", "/x/y"), ("Basic realm=b", "/x/y/z")], "/x/y/1", "b"),
            ([("Basic realm=b", "/x/y/z"), ("Basic realm=a", "/x/y")], "/x/y/1", "b"),
            ([("Basic realm=a", "/x/y"), ("Basic realm=b", "/x/z")], "/x/1", "b"),
            ([("Basic realm=b", "/x/y"), ("Digest realm=a, nonce=n", "/q")], "/x/1", "b"),
            ([("Basic realm=b", "/x/y"), ("Digest realm=a, nonce=n", "/q")], "/1", "a"),
        ] as [([(String, String)], String, String?)])
    func `a path belongs to the space with the longest prefix`(
        challenges: [(String, String)], path: String, expected: String?
    ) throws {
        var spaces = KnownSpaces()
        for (value, path) in challenges { spaces.learn(try challenge(value, at: path)) }
        #expect(try realm(spaces, path) == expected)
        #expect(try realm(spaces, path, origin: "https://h") == nil && realm(spaces, path, origin: "http://g") == nil)
    }

    @Test func `a challenge with the nonce of the session continues it, and another one ends it`() throws {
        var spaces = KnownSpaces()
        let first = try challenge("Digest realm=r, nonce=n, qop=auth")
        spaces.learn(first)
        let session = spaces.open(try session(first), in: first.space)
        #expect(spaces.open(try self.session(first), in: first.space) === session)
        spaces.learn(first)
        #expect(spaces.entry(for: first.space)?.session === session)
        for other in [
            "nonce=m, qop=auth", "nonce=n", "nonce=n, qop=auth, algorithm=SHA-256", "nonce=n, qop=auth, opaque=o",
        ] {
            var spaces = spaces
            spaces.learn(try challenge("Digest realm=r, \(other)"))
            #expect(spaces.entry(for: first.space)?.session == nil, "\(other)")
        }
        let other = try self.session(first, imposter)
        #expect(spaces.open(other, in: first.space) === other)
    }

    @Test func `the next nonce replaces the one that was used only`() throws {
        var spaces = KnownSpaces()
        let challenge = try challenge("Digest realm=r, nonce=n, qop=auth")
        spaces.learn(challenge)
        let session = spaces.open(try session(challenge), in: challenge.space)
        let second = session.next(DigestNonce("second", clientValue: "d"))
        let third = session.next(DigestNonce("third", clientValue: "e"))
        spaces.advance(session, to: second, in: challenge.space)
        spaces.advance(session, to: third, in: challenge.space)
        #expect(spaces.entry(for: challenge.space)?.session === second && second.key == session.key)
        #expect(second.nonce.next() == 1)
    }

    @Test func `spaces can be forgotten, and their number is limited`() throws {
        var spaces = KnownSpaces()
        let first = try challenge("Basic realm=0")
        for number in 0..<64 { spaces.learn(try challenge("Basic realm=\(number)")) }
        #expect(spaces.entry(for: first.space) != nil)
        spaces.learn(try challenge("Basic realm=64"))
        #expect(spaces.entry(for: first.space) == nil)
        let last = try challenge("Basic realm=64")
        spaces.forget(last.space)
        #expect(spaces.entry(for: last.space) == nil)
        spaces.removeAll()
        #expect(try realm(spaces, "/") == nil)
    }

    @Test func `a space keeps its last prefixes`() throws {
        var spaces = KnownSpaces()
        for number in 0..<20 { spaces.learn(try challenge("Basic realm=r", at: "/\(number)/x")) }
        #expect(try realm(spaces, "/3/y") == nil)
        #expect(try realm(spaces, "/4/y") == "r" && realm(spaces, "/19/y") == "r")
    }
}
