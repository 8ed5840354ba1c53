import Authentication
import Foundation
import HTTPMessages
import PatchbayTestKit
import Synchronization
import Testing
import Transport

@Suite struct BasicAuthorizerTests {
    // The examples of RFC 7617, sections 2 and 2.1, and others.
    @Test(arguments: [
        ("Aladdin", "open sesame", "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="),
        ("test", "123\u{A3}", "Basic dGVzdDoxMjPCow=="),
        ("", "", "Basic Og=="), ("a", "b:c", "Basic YTpiOmM="), ("e\u{301}", "", "Basic w6k6"),
    ])
    func `user and password are sent in UTF-8 and form C`(user: String, password: String, value: String) throws {
        #expect(try BasicAuthorizer.value(user: user, password: password) == value)
    }

    @Test func `ISO 8859-1 is possible`() throws {
        #expect(
            try BasicAuthorizer.value(user: "test", password: "123\u{A3}", encoding: .isoLatin1) == "Basic dGVzdDoxMjOj"
        )
    }

    @Test(arguments: [
        ("a:b", "x", BasicAuthorizer.Encoding.utf8, "colon"), ("a\n", "x", .utf8, "control character"),
        ("a", "x\u{0}", .utf8, "control character"), ("a", "\u{20AC}", .isoLatin1, "ISO 8859-1"),
    ])
    func `what cannot be sent is an error without the value`(
        user: String, password: String, encoding: BasicAuthorizer.Encoding, reason: String
    ) {
        let error = #expect(throws: AuthenticationError.self) {
            try BasicAuthorizer(user: user, password: password, encoding: encoding)
        }
        #expect(error?.code == .invalidCredential && error?.message.contains(reason) == true)
    }

    private func fields(of url: String, _ authorizer: BasicAuthorizer) async throws -> HTTPFields {
        let seen = Mutex(HTTPFields())
        let base = FakeTransport { request in
            seen.withLock { $0 = request.fields }
            return request.response(text: "")
        }
        _ = try await base.authorizing(with: authorizer, at: try AllowedOrigins(url)).send(request(.get, url))
        return seen.withLock { $0 }
    }

    @Test func `a credential goes to its recipient only`() async throws {
        let server = try await fields(of: "https://h/", .basic(user: "a", password: "b"))
        #expect(server[.authorization] == "Basic YTpi" && server[.proxyAuthorization] == nil)
        let proxy = try await fields(of: "http://h/", .basic(user: "a", password: "b", for: .proxy))
        #expect(proxy[.proxyAuthorization] == "Basic YTpi" && proxy[.authorization] == nil)
        #expect(try await fields(of: "https://h/", .basic(user: "a", password: "b", for: .proxy)).isEmpty)
    }

    @Test(arguments: [
        (BasicAuthorizer.Recipient.server, 401, "WWW-Authenticate", "http://h/"),
        (.proxy, 407, "Proxy-Authenticate", "http://h/"),
    ])
    func `a challenge with charset UTF-8 changes the encoding once`(
        recipient: BasicAuthorizer.Recipient, code: Int, challenge: String, url: String
    ) async throws {
        let status = try #require(HTTPStatus(code))
        let base = ScriptedTransport {
            var response = $0.response(status, fields: try HTTPFields([challenge: "Basic charset=\"UTF-8\""]))
            response.head.isProxyChallenge = recipient == .proxy
            return response
        }
        let transport = base.authorizing(
            with: try .basic(user: "test", password: "123\u{A3}", for: recipient, encoding: .isoLatin1),
            at: try AllowedOrigins(url))
        #expect(try await transport.send(request(.get, url)).status == status)
        let field: HTTPFieldName = recipient == .server ? .authorization : .proxyAuthorization
        #expect(base.requests.map { $0.fields[field] } == ["Basic dGVzdDoxMjOj", "Basic dGVzdDoxMjPCow=="])
    }

    @Test func `another challenge is returned, since the credential would be the same`() async throws {
        let base = ScriptedTransport { $0.response(.unauthorized, text: "no") }
        let transport = base.authorizing(with: try .basic(user: "a", password: "b"), at: try AllowedOrigins(api))
        for _ in 0..<5 { #expect(try await transport.send(request()).status == .unauthorized) }
        #expect(base.requests.count == 5)
    }

    @Test func `descriptions have no secrets`() throws {
        let authorizer = try BasicAuthorizer(user: "us3r", password: "s3cret")
        let credential = try FieldCredential("s3cret")
        var dumped = ""
        dump(authorizer, to: &dumped)
        dump(credential, to: &dumped)
        for text in [dumped, "\(authorizer)", "\(credential)", String(reflecting: authorizer)] {
            #expect(!text.contains("s3cret") && !text.contains("us3r") && !text.contains("dXMz"), "\(text)")
        }
    }
}
