import Testing

@testable import MobileFirst

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
        let asks = turns.ask(1, "PIN?")
        #expect(asks)
        let ended = turns.endSession()
        #expect(ended.question == "PIN?" && ended.waiters == [2] && ended.next == 3)
        let isResumed = turns.resume(1)
        #expect(!isResumed && turns.finish(1) == nil && turns.finish(3) == nil)
    }

    @Test func `M24: a job without a question goes on after the end of its session, and no longer asks`() {
        var turns = AuthorizationTurns<Int, String>()
        #expect(turns.start(.token, id: 1, 1) == .run)
        #expect(turns.start(.token, id: 2, 2) == .wait)
        let ended = turns.endSession()
        #expect(ended.question == nil && ended.waiters == [2] && ended.next == nil)
        #expect(turns.start(.token, id: 3, 3) == .wait)
        let asks = turns.ask(1, "PIN?")
        #expect(!asks && turns.finish(1) == 3)
        let nextAsks = turns.ask(3, "PIN?")
        #expect(nextAsks)
    }
}
