import Testing

@testable import MobileFirst

@Suite struct AuthorizationQueueStateTests {
    @Test func `a job that does not wait begins only when none runs`() {
        var state = AuthorizationQueueState<Int, String>()
        #expect(state.begin(.login, id: 1) == nil)
        #expect(state.begin(.logout, id: 2) == .login)
        #expect(state.start(.token, id: 3, 30) == .wait)
        #expect(state.finish(1) == 30)
        #expect(state.begin(.login, id: 4) == .token)
        #expect(state.finish(3) == nil)
        #expect(state.begin(.logout, id: 5) == nil)
    }

    @Test func `a waiter can be cancelled, and the running job cannot`() {
        var state = AuthorizationQueueState<Int, String>()
        #expect(state.start(.token, id: 1, 10) == .run)
        #expect(state.start(.token, id: 2, 20) == .wait)
        #expect(state.start(.registration, id: 3, 30) == .wait)
        #expect(state.cancel(1) == nil)
        #expect(state.cancel(2) == 20)
        #expect(state.cancel(2) == nil)
        #expect(state.finish(1) == 30)
        #expect(state.finish(3) == nil)
    }

    @Test func `tokens wait in order; logins and logouts are refused`() {
        var state = AuthorizationQueueState<Int, String>()
        #expect(state.start(.token, id: 1, 1) == .run)
        #expect(state.start(.token, id: 2, 2) == .wait)
        #expect(state.start(.login, id: 3, 3) == .refuse(.token))
        #expect(state.start(.logout, id: 4, 4) == .refuse(.token))
        #expect(state.start(.registration, id: 5, 5) == .wait)
        #expect(state.finish(1) == 2)
        #expect(state.finish(2) == 5)
        #expect(state.start(.login, id: 6, 6) == .refuse(.registration))
        #expect(state.finish(5) == nil)
        #expect(state.start(.login, id: 7, 7) == .run)
        #expect(state.start(.login, id: 8, 8) == .refuse(.login))
        #expect(state.start(.token, id: 9, 9) == .wait)
        #expect(state.finish(7) == 9)
        #expect(state.finish(9) == nil)
        #expect(state.start(.logout, id: 10, 10) == .run)
    }

    @Test func `M23: a logout runs in place of a token that asks the user, and tokens that wait end`() {
        var state = AuthorizationQueueState<Int, String>()
        #expect(state.start(.token, id: 1, 1) == .run)
        #expect(state.start(.token, id: 2, 2) == .wait)
        #expect(state.start(.registration, id: 3, 3) == .wait)
        #expect(state.beginLogout(id: 4).map { _ in true } == nil)
        let asks = state.ask(1, "PIN?")
        #expect(asks)
        let ended = state.beginLogout(id: 4)
        #expect(ended?.question == "PIN?" && ended?.waiters == [2] && ended?.next == nil)
        // The job has been removed, and the logout runs.
        let (isResumed, asksAgain) = (state.resume(1), state.ask(1, "PIN?"))
        #expect(!isResumed && !asksAgain && state.finish(1) == nil)
        #expect(state.begin(.login, id: 5) == .logout)
        #expect(state.finish(4) == 3)
    }

    @Test func `M22: a logout does not run in place of a login that asks the user, or of an answered token`() {
        var state = AuthorizationQueueState<Int, String>()
        #expect(state.begin(.login, id: 1) == nil)
        let asks = state.ask(1, "PIN?")
        #expect(asks)
        #expect(state.beginLogout(id: 2).map { _ in true } == nil)
        #expect(state.finish(1) == nil)
        #expect(state.start(.token, id: 3, 3) == .run)
        let (asksToo, isResumed) = (state.ask(3, "PIN?"), state.resume(3))
        #expect(asksToo && isResumed)
        #expect(state.beginLogout(id: 4).map { _ in true } == nil)
    }

    @Test func `M24: the end of a session ends a job that asks the user, and lets others go on`() {
        var state = AuthorizationQueueState<Int, String>()
        #expect(state.begin(.login, id: 1) == nil)
        #expect(state.start(.token, id: 2, 2) == .wait)
        #expect(state.start(.registration, id: 3, 3) == .wait)
        let asks = state.ask(1, "PIN?")
        #expect(asks)
        let ended = state.endSession()
        #expect(ended.question == "PIN?" && ended.waiters == [2] && ended.next == 3)
        let isResumed = state.resume(1)
        #expect(!isResumed && state.finish(1) == nil && state.finish(3) == nil)
    }

    @Test func `M24: a job without a question goes on after the end of its session, and no longer asks`() {
        var state = AuthorizationQueueState<Int, String>()
        #expect(state.start(.token, id: 1, 1) == .run)
        #expect(state.start(.token, id: 2, 2) == .wait)
        let ended = state.endSession()
        #expect(ended.question == nil && ended.waiters == [2] && ended.next == nil)
        #expect(state.start(.token, id: 3, 3) == .wait)
        let asks = state.ask(1, "PIN?")
        #expect(!asks && state.finish(1) == 3)
        let nextAsks = state.ask(3, "PIN?")
        #expect(nextAsks)
    }
}
