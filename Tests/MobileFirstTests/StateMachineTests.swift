import Coordination
import Delegation
import Foundation
import HTTPMessages
import PatchbayTestKit
import Synchronization
import TestSupport
import Testing

@testable import Authentication
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

@Suite struct AuthorizationTurnsTests {
    @Test func `a job that does not wait begins only when none runs`() {
        var turns = AuthorizationTurns<Int, String>()
        #expect(turns.begin(.login, id: 1) == nil)
        #expect(turns.begin(.logout, id: 2) == .login)
        #expect(turns.start(.token, id: 3, 30) == .wait)
        #expect(turns.finish(1) == 30)
        #expect(turns.begin(.login, id: 4) == .token)
        #expect(turns.finish(3) == nil)
        #expect(turns.begin(.logout, id: 5) == nil)
    }

    @Test func `a waiter can be cancelled, and the running job cannot`() {
        var turns = AuthorizationTurns<Int, String>()
        #expect(turns.start(.token, id: 1, 10) == .run)
        #expect(turns.start(.token, id: 2, 20) == .wait)
        #expect(turns.start(.registration, id: 3, 30) == .wait)
        #expect(turns.cancel(1) == nil)
        #expect(turns.cancel(2) == 20)
        #expect(turns.cancel(2) == nil)
        #expect(turns.finish(1) == 30)
        #expect(turns.finish(3) == nil)
    }

    @Test func `tokens wait in order; logins and logouts are refused`() {
        var turns = AuthorizationTurns<Int, String>()
        #expect(turns.start(.token, id: 1, 1) == .run)
        #expect(turns.start(.token, id: 2, 2) == .wait)
        #expect(turns.start(.login, id: 3, 3) == .refuse(.token))
        #expect(turns.start(.logout, id: 4, 4) == .refuse(.token))
        #expect(turns.start(.registration, id: 5, 5) == .wait)
        #expect(turns.finish(1) == 2)
        #expect(turns.finish(2) == 5)
        #expect(turns.start(.login, id: 6, 6) == .refuse(.registration))
        #expect(turns.finish(5) == nil)
        #expect(turns.start(.login, id: 7, 7) == .run)
        #expect(turns.start(.login, id: 8, 8) == .refuse(.login))
        #expect(turns.start(.token, id: 9, 9) == .wait)
        #expect(turns.finish(7) == 9)
        #expect(turns.finish(9) == nil)
        #expect(turns.start(.logout, id: 10, 10) == .run)
    }

    @Test func `M23: a logout runs in place of a token that asks the user, and tokens that wait end`() {
        var turns = AuthorizationTurns<Int, String>()
        #expect(turns.start(.token, id: 1, 1) == .run)
        #expect(turns.start(.token, id: 2, 2) == .wait)
        #expect(turns.start(.registration, id: 3, 3) == .wait)
        #expect(turns.beginLogout(id: 4).map { _ in true } == nil)
        let asks = turns.ask(1, "PIN?")
        #expect(asks)
        let ended = turns.beginLogout(id: 4)
        #expect(ended?.question == "PIN?" && ended?.waiters == [2] && ended?.next == nil)
        // The job has lost its turn, and the logout goes on.
        let (isResumed, asksAgain) = (turns.resume(1), turns.ask(1, "PIN?"))
        #expect(!isResumed && !asksAgain && turns.finish(1) == nil)
        #expect(turns.begin(.login, id: 5) == .logout)
        #expect(turns.finish(4) == 3)
    }

    @Test func `M22: a logout does not run in place of a login that asks the user, or of an answered token`() {
        var turns = AuthorizationTurns<Int, String>()
        #expect(turns.begin(.login, id: 1) == nil)
        let asks = turns.ask(1, "PIN?")
        #expect(asks)
        #expect(turns.beginLogout(id: 2).map { _ in true } == nil)
        #expect(turns.finish(1) == nil)
        #expect(turns.start(.token, id: 3, 3) == .run)
        let (asksToo, isResumed) = (turns.ask(3, "PIN?"), turns.resume(3))
        #expect(asksToo && isResumed)
        #expect(turns.beginLogout(id: 4).map { _ in true } == nil)
    }

    @Test func `M24: the end of a session ends a job that asks the user, and lets others go on`() {
        var turns = AuthorizationTurns<Int, String>()
        #expect(turns.begin(.login, id: 1) == nil)
        #expect(turns.start(.token, id: 2, 2) == .wait)
        #expect(turns.start(.registration, id: 3, 3) == .wait)
        var ended = turns.endSession()
        #expect(ended.question == nil && ended.waiters == [2] && ended.next == nil)
        let asks = turns.ask(1, "PIN?")
        #expect(asks)
        ended = turns.endSession()
        #expect(ended.question == "PIN?" && ended.waiters.isEmpty && ended.next == 3)
        let isResumed = turns.resume(1)
        #expect(!isResumed && turns.finish(1) == nil && turns.finish(3) == nil)
    }
}

@Suite(.needsSlot) struct TurnQueueTests {
    @Test func `M21: a turn that comes too late for its refresh is passed on`() async throws {
        let queue = TurnQueue()
        // Abandoned while it waited.
        let demand = RefreshDemand { isInterruptible in isInterruptible }
        await #expect(throws: CancellationError.self) {
            try await RunningWork.run(for: queue, context: demand) { try await queue.run(.token) {} }
        }
        #expect(try await queue.run(.token) { "runs" } == "runs")
    }

    @Test func `M24: the end of a session cancels the question of the job that has the turn`() async throws {
        let queue = TurnQueue()
        let asks = Gate()
        let never = Gate()
        let job = Task {
            try await queue.run(.token) {
                try await TurnQueue.ask {
                    asks.open()
                    try await never.wait()
                }
            }
        }
        try await asks.wait()
        queue.endSession()
        let error = await #expect(throws: WLError.self) { try await job.value }
        #expect(error?.code == .cancelled)
        #expect(try await queue.run(.token) { "runs" } == "runs")
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
