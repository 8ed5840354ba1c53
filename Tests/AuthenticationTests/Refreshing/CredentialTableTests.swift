import Testing

@testable import Authentication

@Suite struct CredentialTableTests {
    private typealias Table = CredentialTable<String, String, Int>

    /// A table with a credential `old` of scope `s`, for 100 seconds.
    private func valid(_ policy: RefreshPolicy = .standard) -> Table {
        var table = Table(policy: policy)
        _ = table.insert(IssuedCredential("old", lifetime: .seconds(100)), for: "s", now: .zero)
        return table
    }

    private enum Join: Equatable {
        case use(String)
        case wait
        case start(previous: String?)
        case useAndStart(String)
        case refuse(Duration)

        init(_ result: CredentialTable<String, String, Int>.JoinResult) {
            self =
                switch result {
                case .use(let lease): .use(lease.credential)
                case .wait: .wait
                case .start(let start): .start(previous: start.previous)
                case .useAndStart(let lease, let start):
                    start.previous == lease.credential ? .useAndStart(lease.credential) : .wait
                case .refuse(let retryAfter): .refuse(retryAfter)
                }
        }
    }

    /// Joins as a waiter with its own ID.
    private func join(_ table: inout Table, _ scope: String = "s", at seconds: Int, as waiter: Int = 0) -> Join {
        Join(table.join(waiter, id: table.makeID(), for: scope, now: .seconds(seconds)))
    }

    /// Starts a refresh, and returns its ID.
    private func start(_ table: inout Table, _ scope: String = "s", at seconds: Int, as waiter: Int = 0) throws
        -> UInt64
    {
        let result = table.join(waiter, id: table.makeID(), for: scope, now: .seconds(seconds))
        guard case .start(let start) = result else {
            Issue.record("\(Join(result)) instead of a start")
            return 0
        }
        return start.id
    }

    @Test func `the first call of each scope starts a refresh, and others wait`() {
        var table = Table(policy: .standard)
        #expect(join(&table, "a", at: 0) == .start(previous: nil))
        #expect(join(&table, "a", at: 0) == .wait)
        #expect(join(&table, "b", at: 0) == .start(previous: nil))
        #expect(table.waiterCount == 3 && table.refreshCount == 2)
    }

    @Test(arguments: [
        (89, Join.use("old")), (90, .useAndStart("old")), (99, .useAndStart("old")), (100, .start(previous: "old")),
        (1000, .start(previous: "old")),
    ])
    private func `a credential is used until it expires, and its refresh starts in the leeway`(
        seconds: Int, expected: Join
    ) {
        var table = valid()
        #expect((table.lease("s", now: .seconds(seconds)) != nil) == (expected == .use("old")))
        #expect(join(&table, at: seconds) == expected)
    }

    @Test func `in the leeway only one refresh is in flight, and no call waits until the expiry`() throws {
        var table = valid()
        #expect(join(&table, at: 95) == .useAndStart("old") && join(&table, at: 99) == .use("old"))
        #expect(join(&table, at: 100) == .wait && table.refreshCount == 1 && table.waiterCount == 1)
    }

    @Test func `in the leeway a rejected credential is not used`() throws {
        var table = valid()
        let lease = try #require(table.lease("s", now: .zero))
        table.accept("s", lease)
        #expect(join(&table, at: 95) == .useAndStart("old"))
        table.reject("s", lease, now: .seconds(95))
        #expect(join(&table, at: 95) == .wait)
    }

    @Test(arguments: [
        (nil as Duration?, nil as Duration?), (.seconds(1000), .seconds(970)), (.seconds(100), .seconds(90)),
        (.seconds(1), .milliseconds(900)), (.zero, .zero), (.seconds(-5), .zero),
    ])
    func `the leeway is at most a tenth of the lifetime`(lifetime: Duration?, refreshTime: Duration?) throws {
        var table = Table(policy: .standard)
        let result = table.insert(IssuedCredential("c", lifetime: lifetime), for: "s", now: .zero)
        #expect(result.lease?.refreshTime == refreshTime)
    }

    @Test(arguments: [Duration.zero, .seconds(-1), .seconds(Int64.max)])
    func `extreme lifetimes do not trap, and the waiters get the credential`(lifetime: Duration) throws {
        var table = Table(policy: .standard)
        let id = try start(&table, at: 0, as: 7)
        let result = table.finish(id, for: "s", issued: IssuedCredential("c", lifetime: lifetime), now: .seconds(1))
        #expect(result.waiters == [7] && result.lease?.credential == "c")
        #expect((table.lease("s", now: .seconds(1)) != nil) == (lifetime > .zero))
    }

    @Test func `waiters finish in the order in which they came`() throws {
        var table = Table(policy: .standard)
        let id = try start(&table, at: 0, as: 0)
        for waiter in 1..<100 { #expect(join(&table, at: 0, as: waiter) == .wait) }
        let result = table.finish(id, for: "s", issued: IssuedCredential("c"), now: .zero)
        #expect(result.waiters == Array(0..<100) && table.waiterCount == 0 && table.refreshCount == 0)
    }

    @Test func `a rejected credential is replaced once`() throws {
        var table = valid()
        let lease = try #require(table.lease("s", now: .zero))
        table.reject("s", lease, now: .zero)
        table.reject("s", lease, now: .zero)
        #expect(table.lease("s", now: .zero) == nil)
        let id = try start(&table, at: 0)
        _ = table.finish(id, for: "s", issued: IssuedCredential("new"), now: .zero)
        // A late rejection of the old one does not concern the new one.
        table.reject("s", lease, now: .zero)
        #expect(join(&table, at: 0) == .use("new"))
    }

    @Test func `failures within the window refuse refreshes`() throws {
        var table = Table(policy: RefreshPolicy(maximumFailures: 2, window: .seconds(10)))
        for second in [0, 4] {
            let id = try start(&table, at: second)
            let result = table.finish(id, for: "s", issued: nil, now: .seconds(second))
            #expect(result.waiters.count == 1 && result.lease == nil)
        }
        #expect(!table.mayJoin("s", now: .seconds(4)) && table.mayJoin("other", now: .seconds(4)))
        #expect(join(&table, at: 4) == .refuse(.seconds(6)))
        #expect(join(&table, "other", at: 4) == .start(previous: nil))
        #expect(table.mayJoin("s", now: .seconds(10)))
        #expect(join(&table, at: 10) == .start(previous: nil))
    }

    @Test func `a rejection counts as a failure until the credential was accepted`() throws {
        for isAccepted in [false, true] {
            var table = valid(RefreshPolicy(maximumFailures: 1))
            let lease = try #require(table.lease("s", now: .zero))
            if isAccepted { table.accept("s", lease) }
            table.reject("s", lease, now: .zero)
            #expect(join(&table, at: 0) == (isAccepted ? .start(previous: "old") : .refuse(.seconds(30))))
        }
    }

    @Test func `an accepted credential clears earlier failures`() throws {
        var table = Table(policy: RefreshPolicy(maximumFailures: 2))
        let failed = try start(&table, at: 0)
        _ = table.finish(failed, for: "s", issued: nil, now: .zero)
        let second = try start(&table, at: 0)
        let lease = try #require(table.finish(second, for: "s", issued: IssuedCredential("c"), now: .zero).lease)
        table.accept("s", lease)
        table.reject("s", lease, now: .zero)
        let third = try start(&table, at: 0)
        _ = table.finish(third, for: "s", issued: nil, now: .zero)
        #expect(table.mayJoin("s", now: .zero))
    }

    @Test func `after failed refreshes the old credential is used until it expires`() throws {
        var table = valid(RefreshPolicy(maximumFailures: 2))
        for second in [95, 96] {
            let result = table.join(0, id: table.makeID(), for: "s", now: .seconds(second))
            guard case .useAndStart(let lease, let start) = result else { return #expect(Join(result) == .wait) }
            #expect(lease.credential == "old")
            _ = table.finish(start.id, for: "s", issued: nil, now: .seconds(second))
        }
        // No third refresh after two failures.
        #expect(join(&table, at: 97) == .use("old") && join(&table, at: 100) == .refuse(.seconds(25)))
    }

    @Test func `a cancelled waiter leaves the refresh to the others`() throws {
        var table = Table(policy: .standard)
        let start = try start(&table, at: 0, as: 1)
        let id = table.makeID()
        _ = table.join(2, id: id, for: "s", now: .zero)
        #expect(table.cancel(id) == 2 && table.cancel(id) == nil)
        #expect(table.finish(start, for: "s", issued: IssuedCredential("c"), now: .zero).waiters == [1])
    }

    @Test func `a refresh without waiters still stores its credential`() throws {
        var table = Table(policy: .standard)
        let id = table.makeID()
        guard case .start(let start) = table.join(1, id: id, for: "s", now: .zero) else { return #expect(Bool(false)) }
        #expect(table.cancel(id) == 1 && table.refreshCount == 1)
        #expect(join(&table, at: 0) == .wait)
        _ = table.finish(start.id, for: "s", issued: IssuedCredential("c"), now: .zero)
        #expect(join(&table, at: 0) == .use("c"))
    }

    @Test func `removing during a refresh gives its waiters the credential and caches nothing`() throws {
        for removesAll in [false, true] {
            var table = Table(policy: .standard)
            let old = try start(&table, at: 0, as: 1)
            if removesAll {
                #expect(table.removeAll(signOut: 7, endsWaits: false).isEmpty)
            } else {
                table.remove("s")
            }
            let new = try start(&table, at: 0, as: 2)
            #expect(table.refreshCount == 2 && table.waiterCount == 2)
            let result = table.finish(old, for: "s", issued: IssuedCredential("late"), now: .zero)
            #expect(result.waiters == [1] && result.lease?.credential == "late" && result.lease?.signOut == 0)
            #expect(join(&table, at: 0, as: 3) == .wait)
            #expect(table.finish(new, for: "s", issued: IssuedCredential("c"), now: .zero).waiters == [2, 3])
            #expect(table.refreshCount == 0)
        }
    }

    @Test func `a sign-out ends the wait for all refreshes, also for one whose scope was removed`() throws {
        var table = Table(policy: .standard)
        let removed = try start(&table, at: 0, as: 1)
        table.remove("s")
        let current = try start(&table, at: 0, as: 2)
        #expect(table.removeAll(signOut: 7) == [1, 2] && table.takeAbandoned() == [removed, current])
        #expect(table.refreshCount == 0 && table.waiterCount == 0)
        let next = try start(&table, at: 0, as: 3)
        let late = table.finish(current, for: "s", issued: IssuedCredential("late"), now: .zero)
        #expect(late.waiters.isEmpty && table.last("s") == nil)
        let result = table.finish(next, for: "s", issued: IssuedCredential("c"), now: .zero)
        #expect(result.waiters == [3] && result.lease?.signOut == 7)
    }

    @Test(arguments: ["remove", "removeAll", "insert", "setInterruptible"])
    func `a refresh without waiters is abandoned with its credential`(event: String) throws {
        func end(_ table: inout Table, _ refresh: UInt64) {
            switch event {
            case "remove": table.remove("s")
            case "removeAll":
                let waiters = table.waiterCount
                #expect(table.removeAll(signOut: 1).count == waiters)
            case "insert": _ = table.insert(IssuedCredential("mine"), for: "s", now: .zero)
            default: #expect(table.setInterruptible(true, refresh) == (table.waiterCount > 0))
            }
        }
        for isAwaited in [false, true] {
            var table = Table(policy: .standard)
            let waiter = table.makeID()
            guard case .start(let start) = table.join(7, id: waiter, for: "s", now: .zero) else {
                Issue.record("no start")
                return
            }
            if !isAwaited { #expect(table.cancel(waiter) == 7) }
            #expect(table.takeAbandoned().isEmpty && table.isInUse(start.id))
            end(&table, start.id)
            // An inserted credential ends the wait, and so does a sign-out.
            let isAbandoned = !isAwaited || event == "insert" || event == "removeAll"
            #expect(table.takeAbandoned() == (isAbandoned ? [start.id] : []) && table.takeAbandoned().isEmpty)
            #expect(table.isInUse(start.id) == !isAbandoned)
            guard !isAbandoned else {
                #expect(table.finish(start.id, for: "s", issued: IssuedCredential("late"), now: .zero).waiters.isEmpty)
                #expect(table.last("s")?.credential == (event == "insert" ? "mine" : nil))
                continue
            }
            #expect(table.cancel(waiter) == 7)
            #expect(table.takeAbandoned() == [start.id])
        }
    }

    @Test func `a waiter of a removed scope can be cancelled`() throws {
        var table = Table(policy: .standard)
        let id = table.makeID()
        _ = table.join(1, id: id, for: "s", now: .zero)
        table.remove("s")
        #expect(table.cancel(id) == 1 && table.waiterCount == 0)
    }

    @Test func `beyond the capacity the least recently used idle scopes are dropped`() throws {
        var table = Table(policy: .standard, capacity: 8)
        for second in 0..<8 {
            _ = table.insert(IssuedCredential("c"), for: "s\(second)", now: .seconds(second))
        }
        #expect(table.takeTrimmed().isEmpty)
        // The oldest credential is in use, and the next one is being replaced.
        try #require(table.lease("s0", now: .seconds(8))).markUsed()
        table.reject("s1", try #require(table.lease("s1", now: .seconds(8))), now: .seconds(8))
        let id = try start(&table, "s1", at: 8, as: 7)
        _ = table.insert(IssuedCredential("c"), for: "new", now: .seconds(9))
        // Down to three quarters, so that the next scopes cost nothing.
        #expect(Set(table.takeTrimmed()) == ["s2", "s3", "s4"] && table.takeTrimmed().isEmpty)
        for (scope, isKept) in [("s0", true), ("s2", false), ("s4", false), ("s5", true), ("s7", true), ("new", true)] {
            #expect((table.lease(scope, now: .seconds(9)) != nil) == isKept, "\(scope)")
        }
        #expect(table.finish(id, for: "s1", issued: IssuedCredential("c"), now: .seconds(9)).waiters == [7])
        #expect(join(&table, "s2", at: 9) == .start(previous: nil))
    }

    @Test func `scopes with a refresh in flight stay, also beyond the capacity`() throws {
        var table = Table(policy: .standard, capacity: 1)
        let ids = try (0..<5).map { try start(&table, "s\($0)", at: 0, as: $0) }
        #expect(table.waiterCount == 5 && table.takeTrimmed().isEmpty)
        for (number, id) in ids.enumerated() {
            let result = table.finish(id, for: "s\(number)", issued: IssuedCredential("c"), now: .zero)
            #expect(result.waiters == [number] && result.lease != nil)
        }
        #expect(join(&table, "other", at: 0) == .start(previous: nil))
        #expect(Set(table.takeTrimmed()) == ["s0", "s1", "s2", "s3", "s4"])
    }

    @Test func `inserting during a refresh ends the wait, and the refresh changes nothing`() throws {
        var table = Table(policy: .standard)
        let id = try start(&table, at: 0, as: 1)
        let result = table.insert(IssuedCredential("signed-in"), for: "s", now: .zero)
        #expect(result.waiters == [1] && result.lease?.credential == "signed-in")
        #expect(table.finish(id, for: "s", issued: IssuedCredential("late"), now: .zero).waiters.isEmpty)
        #expect(join(&table, at: 0) == .use("signed-in"))
    }
}
