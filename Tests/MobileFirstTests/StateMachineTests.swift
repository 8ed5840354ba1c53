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
        ([.start([:]), .response(.challenges(two)), .cancelled], .abort("A", .cancelled)),
        ([.start([:]), .response(.challenges(two)), .submitted("A", "x"), .cancelled], .abort("B", .cancelled)),
        ([.start([:]), .response(.challenges(one)), .submitted("A", "x"), .cancelled], .ignore),
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
        let client = Fixture().client
        let registry = client.handlers
        client.registerChallengeHandler(handler)
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
        let start = keeper.snapshot
        keeper.keep(registration, from: start)
        #expect(keeper.current() == nil && store.saved.withLock { $0.map { $0 != nil } } == [true, false])
        // A registration that was in flight during the deletion is dropped.
        keeper.keep(registration, from: start)
        #expect(keeper.current() == nil && store.saved.withLock { $0.count } == 2)
        keeper.keep(registration, from: keeper.snapshot)
        #expect(keeper.current()?.clientID == "1" && store.saved.withLock { $0.count } == 3)
    }
}

@Suite struct ServerTokenTests {
    @Test func `M27: a token is added only to requests of its session`() throws {
        let authorizer = Fixture().client.credentials.authorizer
        let token = ServerToken(try OAuthToken("s3cret", scope: "a"), session: 2)
        for (session, isRefused) in [(2, false), (1, true), (3, true), (nil, true)] {
            var request = try HTTPRequest(.get, "https://old.test/mfp/api/adapters/A/p")
            request.options.session = session
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
