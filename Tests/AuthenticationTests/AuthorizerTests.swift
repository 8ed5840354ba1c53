import Authentication
import HTTPMessages
import Testing

@Suite struct AuthorizerTests {
    private struct Plain: Authorizer {
        func scope(of request: HTTPRequest) -> OAuthScope? { request.options.authorizationScope }
        func authorize(_ request: inout HTTPRequest, with credential: String) {}
        func obtain(_ need: CredentialNeed<OAuthScope, String>) async throws -> IssuedCredential<String> {
            IssuedCredential("")
        }
    }

    @Test(arguments: [
        (401, nil as OAuthScope?, "a" as OAuthScope?, ChallengeReaction<OAuthScope>.authorize("a")),
        (401, "b", "a", .authorize("a")), (401, "b", nil, .authorize("b")), (401, nil, nil, .deliver),
        (403, "b", "a", .deliver), (407, "b", "a", .deliver),
    ])
    func `by default status 401 asks for the same scope`(
        code: Int, requested: OAuthScope?, sent: OAuthScope?, expected: ChallengeReaction<OAuthScope>
    ) throws {
        let head = try head(#require(HTTPStatus(code)))
        #expect(try Plain().reaction(to: head, of: request(scope: requested), scope: sent) == expected)
        #expect(Plain().maximumReplays == 1)
    }

    @Test func `descriptions have no credential`() throws {
        let need = CredentialNeed(scope: "a" as OAuthScope, previous: "s3cret", challenge: try head(.unauthorized))
        let issued = IssuedCredential("s3cret", lifetime: .seconds(5))
        var dumped = ""
        dump(need, to: &dumped)
        dump(issued, to: &dumped)
        for text in [dumped, "\(need)", "\(issued)", String(reflecting: issued)] { #expect(!text.contains("s3cret")) }
        #expect("\(need)".contains("another credential for scope \"a\" after 401"))
    }
}
