import Authentication
import Foundation
import HTTPMessages
import Testing

@testable import MobileFirst

@Suite struct PreauthorizationTests {
    private static let pin: [String: JSONValue] = ["pin": "1"]
    private static let one: [String: JSONValue] = ["A": ["n": 1]]
    private static let two: [String: JSONValue] = ["A": .null, "B": .null]

    /// Events in their order, and the last action.
    static let transitions: [([Preauthorization.Event], Preauthorization.Action)] = [
        ([.start([:])], .send([:])),
        ([.start(pin)], .send(pin)),
        ([.start([:]), .response(.successes(one))], .succeed(one)),
        ([.start([:]), .response(.failures(one))], .fail(one)),
        ([.start([:]), .response(.other)], .unexpected),
        ([.start([:]), .response(.challenges(one))], .challenge(one)),
        ([.start([:]), .response(.challenges(["C": .null]))], .missingHandler("C")),
        ([.start([:]), .response(.challenges(["A": .null, "C": .null]))], .missingHandler("C")),
        ([.start([:]), .response(.challenges(one)), .submitted("A", "x")], .send(["A": "x"])),
        ([.start([:]), .response(.challenges(two)), .submitted("A", "x")], .wait),
        (
            [.start([:]), .response(.challenges(two)), .submitted("A", "x"), .submitted("B", "y")],
            .send(["A": "x", "B": "y"])
        ),
        ([.start([:]), .response(.challenges(two)), .submitted("A", "x"), .submitted("A", "y")], .ignore),
        ([.start([:]), .response(.challenges(one)), .submitted("B", "x")], .ignore),
        ([.start([:]), .response(.challenges(one)), .aborted("A", .cancelled)], .abort("A", .cancelled)),
        ([.start([:]), .response(.challenges(one)), .aborted("B", .cancelled)], .ignore),
        ([.start([:]), .response(.challenges(one)), .aborted("A", .cancelled), .submitted("A", "x")], .ignore),
        (
            [.start([:]), .response(.challenges(one)), .submitted("A", "x"), .response(.challenges(one))],
            .challenge(one)
        ),
        (
            [.start([:]), .response(.challenges(["A": .null, "directUpdate": .null]))],
            .challenge(["directUpdate": .null])
        ),
        ([.response(.successes([:]))], .ignore),
        ([.start([:]), .start([:])], .ignore),
        ([.start([:]), .response(.successes([:])), .response(.successes([:]))], .ignore),
    ]

    @Test(arguments: transitions)
    func `each event leads to its action`(events: [Preauthorization.Event], action: Preauthorization.Action) {
        var machine = Preauthorization(handled: ["A", "B", "directUpdate"])
        #expect(events.map { machine.handle($0) }.last == action)
    }

    @Test(arguments: [
        (200, "", #"{"successes":{"A":{}}}"#, PreauthorizationResponse.successes(["A": [:]])),
        (200, "", "", .successes([:])),
        (401, "MFP-Challenge", #"{"challenges":{"A":null}}"#, .challenges(["A": .null])),
        (401, "mfp-challenge", #"{"challenges":{"A":null}}"#, .challenges(["A": .null])),
        (401, "Bearer", #"{"challenges":{"A":null}}"#, .other), (401, "MFP-Challenge", "{}", .other),
        (403, "", #"{"failures":{"A":{"failure":"x"}}}"#, .failures(["A": ["failure": "x"]])),
        (403, "", "", .other), (500, "", "{}", .other), (302, "", "", .other),
    ])
    func `a response is read by its status and body`(
        status: Int, challenge: String, body: String, expected: PreauthorizationResponse
    ) throws {
        var fields = HTTPFields()
        if !challenge.isEmpty { try fields.set(.wwwAuthenticate, to: challenge) }
        let response = HTTPResponse(
            status: try #require(HTTPStatus(status)), fields: fields, body: Data(body.utf8),
            url: try #require(URL(string: "https://h.test/")))
        #expect(PreauthorizationResponse(response) == expected)
    }
}

@Suite struct AuthorizationTurnsTests {
    @Test func `tokens wait in order; logins and logouts are refused`() {
        var turns = AuthorizationTurns<Int>()
        #expect(turns.start(.token, 1) == .run)
        #expect(turns.start(.token, 2) == .wait)
        #expect(turns.start(.login, 3) == .refuse(.token))
        #expect(turns.start(.logout, 4) == .refuse(.token))
        #expect(turns.start(.registration, 5) == .wait)
        #expect(turns.finish() == 2)
        #expect(turns.finish() == 5)
        #expect(turns.start(.login, 6) == .refuse(.registration))
        #expect(turns.finish() == nil)
        #expect(turns.start(.login, 7) == .run)
        #expect(turns.start(.login, 8) == .refuse(.login))
        #expect(turns.start(.token, 9) == .wait)
        #expect(turns.finish() == 9)
        #expect(turns.finish() == nil)
        #expect(turns.start(.logout, 10) == .run)
    }
}

@Suite struct ReactionTests {
    @Test(
        arguments: [
            (401, "Bearer", nil, ""), (401, "Bearer", "x", ""),
            (401, #"bearer realm="r", error="invalid_token""#, "x", "x"),
            (401, #"Bearer error="invalid_token""#, nil, ""), (401, "MFP-Challenge", nil, nil), (401, "", nil, nil),
            (403, #"Bearer error="insufficient_scope", scope="b a""#, nil, "a b"), (403, "Bearer scope=a", nil, "a"),
            (403, #"Bearer error="insufficient_scope""#, nil, nil), (403, "", nil, nil),
            (400, "Bearer", nil, nil), (200, "Bearer", nil, nil),
        ] as [(Int, String, String?, String?)])
    func `M15, M25: challenges ask for a scope`(
        status: Int, challenge: String, sent: String?, wanted: String?
    ) throws {
        var fields = HTTPFields()
        if !challenge.isEmpty { try fields.set("www-authenticate", to: challenge) }
        let head = HTTPResponseHead(
            status: try #require(HTTPStatus(status)), fields: fields, url: try #require(URL(string: "https://h.test/")))
        let scope = MobileFirstAuthorizer.scope(wantedBy: head, sent: sent.map { OAuthScope($0) })
        #expect(scope == wanted.map { OAuthScope($0) })
    }
}
