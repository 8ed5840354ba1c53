import Authentication
import Foundation
import HTTPMessages
import PatchbayTestKit
import Testing
import Transport

@Suite struct APIKeyAuthorizerTests {
    @Test(arguments: [
        ("https://h.test/a", "https://h.test/a?apikey=k%2F1"),
        ("https://h.test/a?page=2", "https://h.test/a?page=2&apikey=k%2F1"),
        ("https://h.test/a?api%6Bey=old&b=%20+", "https://h.test/a?b=%20+&apikey=k%2F1"),
        ("https://h.test/?", "https://h.test/?apikey=k%2F1"),
        ("https://h.test/a?b=1#top", "https://h.test/a?b=1&apikey=k%2F1"),
    ])
    func `a key in the query replaces items of its name, and leaves the others as they are`(
        url: String, sent: String
    ) async throws {
        let transport = ScriptedTransport([], then: .status(.ok))
        let keyed = try transport.authorizing(
            with: .apiKey("k/1", in: .query("apikey")), at: AllowedOrigins("https://h.test"))
        _ = try await keyed.send(HTTPRequest(.get, url))
        #expect(transport.requests.map(\.url.absoluteString) == [sent])
    }

    @Test func `a key in a field is sent to the origins of the layer only`() async throws {
        let transport = ScriptedTransport([], then: .status(.ok))
        let keyed = try transport.authorizing(
            with: .apiKey("k-1", in: .field("X-Api-Key")), at: AllowedOrigins("https://h.test"))
        _ = try await keyed.send(HTTPRequest(.get, "https://h.test/"))
        _ = try await keyed.send(HTTPRequest(.get, "https://other.test/"))
        #expect(transport.requests.map { $0.fields["X-Api-Key"] } == ["k-1", nil])
    }

    @Test(arguments: [APIKeyAuthorizer.Place.field("X-Api-Key"), .query("apikey")])
    func `a redirect to another origin of the layer gets the key, and one elsewhere does not`(
        place: APIKeyAuthorizer.Place
    ) async throws {
        for (host, getsKey) in [("b.test", true), ("c.test", false)] {
            let transport = ScriptedTransport([
                .response(.temporaryRedirect, fields: try HTTPFields(["Location": "https://\(host)/"])),
                .status(.ok),
            ])
            let keyed =
                try transport
                .authorizing(with: .apiKey("k-1", in: place), at: AllowedOrigins("https://a.test", "https://b.test"))
                .redirecting()
            _ = try await keyed.send(HTTPRequest(.get, "https://a.test/"))
            let last = try #require(transport.requests.last)
            #expect(transport.requests.count == 2 && last.url.host() == host)
            #expect((last.fields["X-Api-Key"] ?? last.url.query() ?? "").contains("k-1") == getsKey)
            #expect(keyed.base.credentials.authorizer.authorizesEachURL)
        }
    }

    @Test(arguments: [("https://b.test/", true), ("https://c.test/", false)])
    func `a redirect back gets the key only from an origin of the layer`(other: String, getsKey: Bool) async throws {
        let transport = ScriptedTransport(
            [
                .response(.temporaryRedirect, fields: try HTTPFields(["Location": other])),
                .response(.temporaryRedirect, fields: try HTTPFields(["Location": "https://a.test/users/17"])),
            ], then: .status(.unauthorized))
        let origins = try AllowedOrigins("https://a.test", "https://b.test")
        let keyed = try transport.authorizing(with: .apiKey("k-1", in: .field("X-Api-Key")), at: origins).redirecting()
        let response = try await keyed.send(HTTPRequest(.delete, "https://a.test/tmp/1"))
        #expect(transport.requests.map { $0.fields["X-Api-Key"] != nil } == [true, getsKey, getsKey])
        #expect(response.head.notes.contains { $0.hasSuffix("if no other origin has led there") } != getsKey)
    }

    @Test(arguments: [APIKeyAuthorizer.Place.field("X-Api-Key"), .query("apikey")], [false, true])
    func `a failure is one of the request without the key`(place: APIKeyAuthorizer.Place, isStreamed: Bool) async throws
    {
        let transport = ScriptedTransport([], then: .failure(.connectionRefused))
        let keyed = try transport.authorizing(
            with: .apiKey("k-1", in: place), at: AllowedOrigins("https://h.test"))
        let (request, other) = (try HTTPRequest(.post, "https://h.test/"), try HTTPRequest(.post, "https://h.test/b"))
        // The first call obtains the credential.
        for _ in 0..<2 {
            let error = await #expect(throws: TransportError.self) {
                _ = try await isStreamed ? keyed.stream(request).head : keyed.send(request).head
            }
            #expect(error?.isOf(request) == true && error?.isOf(other) == false)
        }
        #expect(transport.requests.count == 2)
    }

    @Test func `a refused key is not sent again`() async throws {
        let transport = ScriptedTransport([], then: .status(.unauthorized))
        let keyed = try transport.authorizing(
            with: .apiKey("k-1", in: .query("key")), at: AllowedOrigins("https://h.test"))
        let response = try await keyed.send(HTTPRequest(.get, "https://h.test/"))
        #expect(response.status == .unauthorized && transport.requests.count == 1)
        #expect(!"\(transport.requests)\(response.head)".contains("k-1"))
    }

    @Test(arguments: [
        ("", APIKeyAuthorizer.Place.field("X-Api-Key"), "empty"), ("a\nb", .query("key"), "line break"),
        ("k", .query("q"), "not known as secret"), ("k", .query("key1"), "not known as secret"),
        ("k", .query("a b"), "not a name"), ("k", .field(""), "not a name"),
    ])
    func `what cannot be sent in secret is an error without the key`(
        key: String, place: APIKeyAuthorizer.Place, reason: String
    ) {
        let error = #expect(throws: AuthenticationError.self) { try APIKeyAuthorizer(key, in: place) }
        #expect(error?.code == .invalidCredential && error?.message.contains(reason) == true)
    }

    @Test func `descriptions have no key`() throws {
        let authorizer = try APIKeyAuthorizer("k-4711", in: .query("apikey"))
        var text = "\(authorizer)"
        dump(authorizer, to: &text)
        #expect(text.contains("apikey") && !text.contains("k-4711"))
    }
}
