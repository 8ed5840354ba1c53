import Authentication
import HTTPMessages
import Testing

@Suite struct BearerChallengeTests {
    @Test(
        arguments: [
            (200, "Bearer", BearerChallenge.none), (401, nil, .newToken), (401, "", .newToken),
            (401, "Bearer", .newToken),
            (401, "bearer realm=\"x\", error=\"invalid_token\"", .newToken), (401, "Basic realm=x", .none),
            (401, "Basic realm=x, Bearer", .newToken), (401, "Bearer error=invalid_request", .invalidRequest),
            (403, nil, .none), (403, "Bearer", .none), (403, "Basic", .none),
            (403, "Bearer error=\"insufficient_scope\", scope=\"b a\"", .insufficientScope("a b")),
            (403, "Bearer scope=\"x\", error=insufficient_scope", .insufficientScope("x")),
            (403, "Bearer error=\"insufficient_scope\"", .insufficientScope(nil)),
            (401, "Bearer error=\"insufficient_scope\", scope=x", .insufficientScope("x")),
            (407, "Bearer", .none), (500, "Bearer error=invalid_token", .none),
        ] as [(Int, String?, BearerChallenge)])
    func `statuses and fields`(code: Int, field: String?, expected: BearerChallenge) throws {
        var head = try head(#require(HTTPStatus(code)))
        if let field { try head.fields.set("WWW-Authenticate", to: field) }
        #expect(BearerChallenge(head) == expected)
    }
}
