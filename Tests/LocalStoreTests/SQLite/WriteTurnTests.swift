import Synchronization
import Testing

@testable import LocalStore

@Suite struct WriteTurnTests {
    @Test func callsOfAThreadJoinItsTurn() throws {
        let turn = WriteTurn(patience: .seconds(5))
        #expect(!turn.isMine)
        try turn.hold {
            #expect(turn.isMine)
            try turn.call { #expect(turn.isMine) }
            try turn.hold { try turn.call {} }
            #expect(turn.isMine)
        }
        #expect(!turn.isMine)
    }

    @Test func aCallWithinACallIsRefused() throws {
        let turn = WriteTurn(patience: .seconds(5))
        try turn.call {
            #expect(#expect(throws: StoreError.self) { try turn.call {} }?.code == .misuse)
            #expect(#expect(throws: StoreError.self) { try turn.hold {} }?.code == .misuse)
        }
        try turn.call {}
    }

    @Test func aTurnEndsHoweverItEnds() throws {
        let turn = WriteTurn(patience: .zero)
        #expect(throws: Interruption()) { try turn.call { throw Interruption() } }
        #expect(throws: Interruption()) { try turn.hold { throw Interruption() } }
        let wait = onThread { try? turn.call {} }
        #expect(wait())
        try turn.call {}
    }

    @Test func oneThreadAtATimeHasTheTurn() throws {
        let turn = WriteTurn(patience: .seconds(20))
        // A race would lose some of these.
        let inside = Mutex((now: 0, most: 0, total: 0))
        let waits = (0..<8).map { _ in
            onThread {
                for _ in 0..<200 {
                    try? turn.call {
                        inside.withLock {
                            $0.now += 1; $0.most = max($0.most, $0.now); $0.total += 1
                        }
                        inside.withLock { $0.now -= 1 }
                    }
                }
            }
        }
        for wait in waits { #expect(wait()) }
        #expect(inside.withLock { $0.most } == 1)
        #expect(inside.withLock { $0.total } == 1600)
    }

    @Test func manyWhoGiveUpLeaveNothingBehind() throws {
        let turn = WriteTurn(patience: .milliseconds(1))
        let busy = Mutex(0)
        try turn.hold {
            let waits = (0..<8).map { _ in
                onThread {
                    do { try turn.call {} } catch { busy.withLock { $0 += 1 } }
                }
            }
            for wait in waits { #expect(wait()) }
        }
        #expect(busy.withLock { $0 } == 8)
        try turn.call {}
        let wait = onThread { try? turn.hold { try turn.call {} } }
        #expect(wait())
        try turn.call {}
    }
}
