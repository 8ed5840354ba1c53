import Queueing
import StoreCore
import Testing

@testable import Outbox

@Suite struct SenderStateTests {
    private static func state(_ pauses: Set<PauseReason> = []) -> SenderState {
        SenderState(maximumConcurrent: 2, leaseDuration: .seconds(9), users: ["", "ada"], pauses: pauses)
    }

    /// The number of entries that the next step claims; nil for another step.
    private static func claims(_ state: inout SenderState, at seconds: Int = 0) -> Int? {
        if case .transact(let plan) = state.step(now: .seconds(seconds)) { plan.count } else { nil }
    }

    private static func wait(_ state: inout SenderState, at seconds: Int = 0) -> Duration?? {
        if case .wait(let time) = state.step(now: .seconds(seconds)) { .some(time) } else { nil }
    }

    private static func row(_ number: Int64, user: String = "") -> EntryRow {
        EntryRow.sample { ($0.number, $0.user) = (number, user) }
    }

    private static func outcome(_ row: EntryRow) -> SendOutcome {
        SendOutcome(id: row.id, result: .unsent, wait: .zero)
    }

    @Test func `it claims at first, then waits for an event`() {
        var state = Self.state()
        #expect(Self.claims(&state) == 2)
        #expect(state.transacted(.init(), now: .zero).isEmpty)
        #expect(Self.wait(&state) == .some(nil))
        state.wake()
        #expect(Self.claims(&state) == 2)
    }

    @Test func `an entry that is added during a transaction is not lost`() {
        var state = Self.state()
        #expect(Self.claims(&state) == 2)
        state.wake()
        _ = state.transacted(.init(), now: .zero)
        #expect(Self.claims(&state) == 2)
    }

    @Test func `a full sender claims again when an entry has ended, and renews its lease`() {
        var state = Self.state()
        _ = Self.claims(&state)
        let rows = [Self.row(1), Self.row(2, user: "ada")]
        #expect(state.transacted(.init(claimed: rows, hasMore: true, hasLease: true), now: .zero) == rows)
        #expect(state.inFlight.count == 2)
        #expect(Self.wait(&state) == .some(.seconds(3)))
        #expect(Self.claims(&state, at: 3) == 0)
        _ = state.transacted(.init(hasMore: true, hasLease: true), now: .seconds(3))
        state.ended(Self.outcome(rows[0]))
        #expect(Self.claims(&state, at: 4) == 1)
    }

    @Test func `a claimed entry of a user that has signed out meanwhile is not sent`() {
        var state = Self.state()
        _ = Self.claims(&state)
        state.users = [""]
        let sent = state.transacted(
            .init(claimed: [Self.row(1), Self.row(2, user: "ada")], hasLease: true), now: .zero)
        #expect(sent.map(\.number) == [1] && state.inFlight.count == 1)
        guard case .transact(let plan) = state.step(now: .zero) else {
            Issue.record("The entry is not settled.")
            return
        }
        #expect(plan.outcomes.map(\.id.number) == [2] && plan.users == [""])
    }

    @Test func `a paused sender claims nothing, and settles what is in flight`() {
        var state = Self.state()
        _ = Self.claims(&state)
        let row = Self.row(1)
        _ = state.transacted(.init(claimed: [row], hasMore: true, hasLease: true), now: .zero)
        state.pause(.manual)
        state.pause(.offline)
        #expect(Self.wait(&state) == .some(.seconds(3)))
        state.ended(Self.outcome(row))
        #expect(Self.claims(&state) == 0)
        _ = state.transacted(.init(hasMore: true), now: .zero)
        state.resume(.manual)
        #expect(Self.wait(&state) == .some(nil))
        state.resume(.offline)
        #expect(Self.claims(&state) == 2)
    }

    @Test func `it waits for the time of a delayed entry, or for the lease`() {
        var state = Self.state()
        _ = Self.claims(&state)
        _ = state.transacted(.init(nextDue: .seconds(60), leaseRetry: .seconds(20)), now: .zero)
        #expect(Self.wait(&state) == .some(.seconds(20)))
        #expect(Self.claims(&state, at: 20) == 2)
        _ = state.transacted(.init(nextDue: .seconds(60)), now: .seconds(20))
        #expect(Self.wait(&state, at: 21) == .some(.seconds(60)))
    }

    @Test func `after an error of the store the outcomes are settled later`() {
        var state = Self.state()
        _ = Self.claims(&state)
        let row = Self.row(1)
        _ = state.transacted(.init(claimed: [row], hasLease: true), now: .zero)
        state.ended(Self.outcome(row))
        guard case .transact(let plan) = state.step(now: .zero) else {
            Issue.record("The outcome is not settled.")
            return
        }
        state.failed(plan, StoreError(.full, "m"), now: .zero)
        #expect(state.storeError?.code == .full)
        #expect(Self.wait(&state) == .some(.seconds(1)))
        guard case .transact(let second) = state.step(now: .seconds(1)) else {
            Issue.record("The outcome is lost.")
            return
        }
        #expect(second.outcomes.count == 1)
        state.failed(second, StoreError(.full, "m"), now: .seconds(1))
        #expect(Self.wait(&state, at: 1) == .some(.seconds(3)))
        _ = Self.claims(&state, at: 3)
        _ = state.transacted(.init(), now: .seconds(3))
        #expect(state.storeError == nil)
    }

    @Test func `a store that another writer has is no failure`() {
        var state = Self.state()
        guard case .transact(let plan) = state.step(now: .zero) else {
            Issue.record("Nothing is claimed.")
            return
        }
        state.failed(plan, StoreError(.busy, "m"), now: .zero)
        #expect(state.storeError == nil)
        #expect(Self.wait(&state) == .some(.milliseconds(100)))
    }

    @Test func `the end waits for what is in flight, and releases the lease`() {
        var state = Self.state()
        _ = Self.claims(&state)
        let row = Self.row(1)
        _ = state.transacted(.init(claimed: [row], hasMore: true, hasLease: true), now: .zero)
        state.stop()
        #expect(Self.wait(&state) == .some(.seconds(3)))
        state.ended(Self.outcome(row))
        #expect(Self.claims(&state) == 0)
        _ = state.transacted(.init(), now: .zero)
        guard case .end = state.step(now: .zero) else {
            Issue.record("The sender does not end.")
            return
        }
    }

    @Test func `an origin that does not respond is left out until its hold has ended`() {
        var state = Self.state()
        _ = Self.claims(&state)
        _ = state.transacted(.init(), now: .zero)
        state.noted("http://h:80", isResponding: false, until: .seconds(5))
        state.wake()
        guard case .transact(let plan) = state.step(now: .zero) else {
            Issue.record("Nothing is claimed.")
            return
        }
        #expect(plan.held == ["http://h:80"])
        _ = state.transacted(.init(), now: .zero)
        #expect(Self.wait(&state, at: 1) == .some(.seconds(5)))
        #expect(Self.claims(&state, at: 5) == 2)
        #expect(state.holds.failures(of: .origin("http://h:80")) == 1)
        state.noted("http://h:80", isResponding: false, until: .seconds(9))
        #expect(state.holds.failures(of: .origin("http://h:80")) == 2)
        state.noted("http://h:80", isResponding: true, until: .zero)
        #expect(state.holds.failures(of: .origin("http://h:80")) == 0 && state.holds.held(at: .zero).isEmpty)
    }

    // MARK: A backlog

    private static func backlog() -> (SenderState, [EntryRow]) {
        var state = SenderState(
            maximumConcurrent: 2, batch: 4, leaseDuration: .seconds(9), users: ["", "ada"], pauses: [])
        guard case .transact(let plan) = state.step(now: .zero), plan.count == 2, plan.ahead == 4 else {
            Issue.record("Nothing is claimed ahead.")
            return (state, [])
        }
        return (state, (1...6).map { row($0, user: $0 == 5 ? "ada" : "") })
    }

    @Test func `entries that were claimed ahead are sent one after another, and settled together`() {
        var (state, rows) = Self.backlog()
        let result = SenderState.Result(claimed: rows, hasMore: true, isBacklog: true, hasLease: true)
        #expect(state.transacted(result, now: .zero) == Array(rows.prefix(2)))
        state.ended(Self.outcome(rows[0]))
        #expect(state.startNext(now: .zero) == [rows[2]])
        // From the next one on half is queued: further ones are claimed, and the outcomes are settled with them.
        #expect(Self.wait(&state) == .some(.milliseconds(50)))
        state.ended(Self.outcome(rows[1]))
        #expect(state.startNext(now: .zero) == [rows[3]])
        guard case .transact(let plan) = state.step(now: .zero) else {
            Issue.record("Nothing is claimed.")
            return
        }
        #expect(plan.outcomes.map(\.id.number) == [1, 2] && plan.count == 0 && plan.ahead == 2 && plan.hasInFlight)
        _ = state.transacted(.init(isBacklog: false, hasLease: true), now: .zero)
        state.wake()
        #expect(Self.wait(&state) == .some(.milliseconds(50)))
    }

    @Test func `none is claimed ahead of new entries, which are admitted at once`() {
        var (state, rows) = Self.backlog()
        _ = state.transacted(
            .init(claimed: rows, hasMore: true, hasNew: true, isBacklog: true, hasLease: true), now: .zero)
        guard case .transact(let plan) = state.step(now: .zero) else {
            Issue.record("Nothing is admitted.")
            return
        }
        #expect(plan.admits && plan.count + plan.ahead == 0)
        _ = state.transacted(.init(hasMore: true, hasLease: true), now: .zero)
        #expect(Self.wait(&state) == .some(.milliseconds(50)))
    }

    @Test func `an entry that is in flight is not sent again once the lease is back`() {
        var state = Self.state()
        _ = Self.claims(&state)
        let row = Self.row(1)
        #expect(state.transacted(.init(claimed: [row], hasLease: true), now: .zero) == [row])
        // Another sender has had it meanwhile, and has released it.
        let again = SenderState.Result(claimed: [row, Self.row(2)], hasLostLease: true, hasLease: true)
        #expect(state.transacted(again, now: .seconds(3)) == [Self.row(2)])
        #expect(state.inFlight.count == 2)
    }

    @Test func `an entry whose attempt ends while it is claimed again is settled, not sent again`() {
        var state = Self.state()
        _ = Self.claims(&state)
        let row = Self.row(1)
        #expect(state.transacted(.init(claimed: [row], hasLease: true), now: .zero) == [row])
        state.wake()
        #expect(Self.claims(&state, at: 30) == 1)
        state.ended(Self.outcome(row))
        // Another sender has had the lease meanwhile, and has released the entry.
        let again = SenderState.Result(claimed: [row, Self.row(2)], hasLostLease: true, hasLease: true)
        #expect(state.transacted(again, now: .seconds(30)) == [Self.row(2)])
        guard case .transact(let plan) = state.step(now: .seconds(30)) else {
            Issue.record("The outcome is not settled.")
            return
        }
        #expect(plan.outcomes.map(\.id) == [row.id] && plan.count == 1)
        #expect(state.inFlight.count == 1)
    }

    @Test func `delayed entries of a user who signs in during a transaction are looked for`() {
        var state = SenderState(maximumConcurrent: 2, leaseDuration: .seconds(9), users: [""], pauses: [])
        _ = Self.claims(&state)
        _ = state.transacted(.init(claimed: [Self.row(1)], hasDelayed: false, hasLease: true), now: .zero)
        state.wake()
        guard case .transact(let plan) = state.step(now: .zero), !plan.hasDelayed else {
            Issue.record("No claim, or one of delayed entries.")
            return
        }
        state.signIn("ada")
        _ = state.transacted(.init(hasDelayed: false, hasLease: true), now: .zero)
        guard case .transact(let next) = state.step(now: .zero) else {
            Issue.record("No claim for the user.")
            return
        }
        #expect(next.hasDelayed && next.users == ["", "ada"])
    }

    @Test func `what a transaction claims while its user signs out is given back, though all slots are in use`() {
        var (state, rows) = Self.backlog()
        _ = state.transacted(.init(claimed: Array(rows.prefix(2)), isBacklog: true, hasLease: true), now: .zero)
        state.signOut("ada")
        #expect(state.transacted(.init(claimed: Array(rows.dropFirst(2)), hasLease: true), now: .zero).isEmpty)
        state.signIn("ada")
        var sent: [Int64] = []
        for row in rows.prefix(2) { state.ended(Self.outcome(row)) }
        while case let next = state.startNext(now: .zero), !next.isEmpty {
            sent += next.map(\.number)
            for row in next { state.ended(Self.outcome(row)) }
        }
        #expect(sent == [3, 4, 6])
    }

    @Test func `any number of concurrent entries and any lease can be set`() {
        let state = SenderState(
            maximumConcurrent: .max, batch: 32, leaseDuration: .zero, users: [""], pauses: [])
        #expect(state.maximumConcurrent == 1 << 16 && state.renewalInterval > .zero)
    }

    @Test func `an outcome is settled after a moment, though entries are queued`() {
        var (state, rows) = Self.backlog()
        _ = state.transacted(.init(claimed: rows, isBacklog: true, hasLease: true), now: .zero)
        state.ended(Self.outcome(rows[0]))
        _ = state.startNext(now: .zero)
        #expect(state.mustWait(now: .milliseconds(49)) && !state.mustWait(now: .milliseconds(50)))
    }

    @Test(arguments: ["pause", "stop", "sign-out", "lost lease", "lease lost and back", "origin", "user", "renewal"])
    func `a queued entry is not sent after`(event: String) {
        var (state, rows) = Self.backlog()
        _ = state.transacted(.init(claimed: rows, isBacklog: true, hasLease: true), now: .zero)
        var now = Duration.zero
        var expected: [Int64] = []
        switch event {
        case "pause": state.pause(.manual)
        case "stop": state.stop()
        case "sign-out":
            state.signOut("ada")
            expected = [3, 4, 6]
        case "lost lease": _ = state.transacted(.init(leaseRetry: .seconds(1)), now: .zero)
        case "lease lost and back": _ = state.transacted(.init(hasLostLease: true, hasLease: true), now: .zero)
        case "origin": state.noted("http://h:80", isResponding: false, until: .seconds(5))
        case "user":
            state.signedOut("ada", until: .seconds(5))
            expected = [3, 4, 6]
        default: now = .seconds(3)
        }
        var sent: [Int64] = []
        for row in rows.prefix(2) { state.ended(Self.outcome(row)) }
        while case let next = state.startNext(now: now), !next.isEmpty {
            sent += next.map(\.number)
            for row in next { state.ended(Self.outcome(row)) }
        }
        #expect(sent == expected)
        if event == "renewal" {
            #expect(Self.claims(&state, at: 3) == 0)
            #expect(state.transacted(.init(hasLease: true), now: now).map(\.number) == [3, 4])
        }
    }

    @Test func `the entries of a user that the layers have signed out wait for the sign-in, or for a time`() {
        var state = Self.state()
        func users(at seconds: Int) -> [String]? {
            if case .transact(let plan) = state.step(now: .seconds(seconds)) { plan.users } else { nil }
        }
        #expect(users(at: 0) == ["", "ada"])
        state.signedOut("ada", until: .seconds(5))
        _ = state.transacted(.init(), now: .zero)
        state.wake()
        #expect(users(at: 1) == [""])
        _ = state.transacted(.init(), now: .seconds(1))
        #expect(Self.wait(&state, at: 1) == .some(.seconds(5)))
        state.signIn("ada")
        #expect(users(at: 2) == ["", "ada"])
        _ = state.transacted(.init(), now: .seconds(2))
        state.signedOut("ada", until: .seconds(9))
        state.wake()
        #expect(users(at: 3) == [""])
        _ = state.transacted(.init(), now: .seconds(3))
        #expect(users(at: 9) == ["", "ada"])
    }
}
