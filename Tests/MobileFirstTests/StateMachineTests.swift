import Authentication
import Delegation
import Foundation
import HTTPMessages
import PatchbayTestKit
import Synchronization
import TestSupport
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
        (200, "", "", .successes([:])), (200, "", "{}", .successes([:])), (200, "", "<html>", .other),
        (200, "", "[]", .other),
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

@Suite(.needsSlot) struct ChallengeRoundsTests {
    /// Rounds that are about to challenge the handler of `A`.
    private func rounds(_ handler: CheckHandler) -> ChallengeRounds {
        let registry = HandlerRegistry()
        _ = registry.register(handler)
        let rounds = ChallengeRounds(registry, delivery: .inline)
        _ = rounds.handle(.start([:]))
        _ = rounds.handle(.response(.challenges(["A": .null])))
        return rounds
    }

    @Test func `M21, M22: a task that is cancelled before the challenge ends at once, and calls no handler`() async {
        let handler = CheckHandler("A", nil)
        let rounds = rounds(handler)
        let task = Task {
            // Throws at once, since the task is cancelled.
            try? await Gate().wait()
            return await rounds.challenge(["A": .null])
        }
        task.cancel()
        #expect(await task.value == .abort("A", .cancelled))
        #expect(handler.log.value.isEmpty)
    }

    @Test func `a credential ends the wait once`() async {
        let handler = CheckHandler("A", [["pin": "1"]])
        #expect(await rounds(handler).challenge(["A": .null]) == .send(["A": ["pin": "1"]]))
        handler.submitChallengeAnswer(["pin": "2"])
        #expect(handler.log.value == ["challenge"])
    }
}

@Suite struct RegistrationKeeperTests {
    /// A store that runs a closure in each save of a registration.
    private final class Store: WLRegistrationStore {
        let duringSave = Mutex<(@Sendable () -> Void)?>(nil)
        let saved = Mutex<[Data?]>([])
        func load() -> Data? { nil }
        func save(_ registration: Data?) {
            if registration != nil { duringSave.withLock { $0.take() }?() }
            saved.withLock { $0.append(registration) }
        }
    }

    @Test func `M24: a deletion during a save is the last thing that the store gets`() throws {
        let store = Store()
        let keeper = RegistrationKeeper(store, warn: { _ in })
        store.duringSave.withLock { $0 = { keeper.forget() } }
        let registration = Registration(
            server: "https://h.test", clientID: "1", deviceID: "d", key: try RSAPrivateKey.generate(), data: [:])
        keeper.keep(registration, since: keeper.epoch)
        #expect(keeper.current() == nil && store.saved.withLock { $0.map { $0 != nil } } == [true, false])
        // A registration that was in flight during the deletion is dropped.
        keeper.keep(registration, since: keeper.epoch - 1)
        #expect(keeper.current() == nil && store.saved.withLock { $0.count } == 2)
        keeper.keep(registration, since: keeper.epoch)
        #expect(keeper.current()?.clientID == "1" && store.saved.withLock { $0.count } == 3)
    }
}

@Suite struct ServerTokenTests {
    @Test func `M27: a token is added only to requests of its server`() throws {
        let authorizer = Fixture().client.credentials.authorizer
        let token = ServerToken(try OAuthToken("s3cret", scope: "a"), server: "https://new.test/mfp")
        for (server, isRefused) in [("https://new.test/mfp", false), ("https://old.test/mfp", true), (nil, true)] {
            var request = try HTTPRequest(.get, "https://old.test/mfp/api/adapters/A/p")
            request.options.tokenServer = server
            if isRefused {
                let error = #expect(throws: WLError.self) { try authorizer.authorize(&request, with: token) }
                #expect(error?.code == .cancelled)
            } else {
                try authorizer.authorize(&request, with: token)
            }
            #expect(request.fields.contains(.authorization) != isRefused)
        }
        var dumped = ""
        dump(token, to: &dumped)
        #expect(!dumped.contains("s3cret") && !"\(token)".contains("s3cret"))
    }
}

@Suite struct AuthorizationTurnsTests {
    @Test func `a job that does not wait begins only when none runs`() {
        var turns = AuthorizationTurns<Int>()
        #expect(turns.begin(.login) == nil)
        #expect(turns.begin(.logout) == .login)
        #expect(turns.start(.token, id: 1, 10) == .wait)
        #expect(turns.finish() == 10)
        #expect(turns.begin(.login) == .token)
        #expect(turns.finish() == nil)
        #expect(turns.begin(.logout) == nil)
    }

    @Test func `a waiter can be cancelled, and the running job cannot`() {
        var turns = AuthorizationTurns<Int>()
        #expect(turns.start(.token, id: 1, 10) == .run)
        #expect(turns.start(.token, id: 2, 20) == .wait)
        #expect(turns.start(.registration, id: 3, 30) == .wait)
        #expect(turns.cancel(1) == nil)
        #expect(turns.cancel(2) == 20)
        #expect(turns.cancel(2) == nil)
        #expect(turns.finish() == 30)
        #expect(turns.finish() == nil)
    }

    @Test func `tokens wait in order; logins and logouts are refused`() {
        var turns = AuthorizationTurns<Int>()
        #expect(turns.start(.token, id: 1, 1) == .run)
        #expect(turns.start(.token, id: 2, 2) == .wait)
        #expect(turns.start(.login, id: 3, 3) == .refuse(.token))
        #expect(turns.start(.logout, id: 4, 4) == .refuse(.token))
        #expect(turns.start(.registration, id: 5, 5) == .wait)
        #expect(turns.finish() == 2)
        #expect(turns.finish() == 5)
        #expect(turns.start(.login, id: 6, 6) == .refuse(.registration))
        #expect(turns.finish() == nil)
        #expect(turns.start(.login, id: 7, 7) == .run)
        #expect(turns.start(.login, id: 8, 8) == .refuse(.login))
        #expect(turns.start(.token, id: 9, 9) == .wait)
        #expect(turns.finish() == 9)
        #expect(turns.finish() == nil)
        #expect(turns.start(.logout, id: 10, 10) == .run)
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
