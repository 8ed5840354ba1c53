import Foundation
import Synchronization
import TestSupport
import Testing

@testable import LocalStore

@Suite(.needsSlot) struct WriteTurnTests {
    private struct Thing: ~Copyable, Sendable {
        var uses = 0
    }

    @Test func callsOfAThreadJoinItsTurn() throws {
        let turn = WriteTurn(Thing(), patience: .seconds(3600))
        #expect(!turn.isMine)
        try turn.hold {
            #expect(turn.isMine)
            try turn.call { _ in #expect(turn.isMine) }
            try turn.hold { try turn.call { _ in } }
            #expect(turn.isMine)
        }
        #expect(!turn.isMine)
    }

    @Test func aCallWithinACallIsRefused() throws {
        let turn = WriteTurn(Thing(), patience: .seconds(3600))
        try turn.call { _ in
            #expect(#expect(throws: StoreError.self) { try turn.call { _ in } }?.code == .misuse)
            #expect(#expect(throws: StoreError.self) { try turn.hold {} }?.code == .misuse)
        }
        try turn.call { _ in }
    }

    @Test func aCallGetsTheThing() throws {
        let turn = WriteTurn(Thing(), patience: .seconds(3600))
        for _ in 0..<3 { try turn.call { $0.uses += 1 } }
        #expect(throws: Interruption()) {
            try turn.call { thing in
                thing.uses += 1
                throw Interruption()
            }
        }
        #expect(try turn.call { $0.uses } == 4)
    }

    @Test func aClosedTurnIsNobodys() throws {
        let turn = WriteTurn(Thing(), patience: .seconds(3600))
        let codes = Mutex<[StoreError.Code?]>([])
        var wait = { false }
        try turn.hold {
            let isWaited = onThread {
                // It waits, or comes too late; there is nothing to be had.
                do { try turn.call { _ in } } catch { codes.withLock { $0.append((error as? StoreError)?.code) } }
            }
            try turn.close()
            wait = isWaited
        }
        #expect(wait())
        #expect(codes.withLock { $0 } == [.closed])
        #expect(#expect(throws: StoreError.self) { try turn.hold {} }?.code == .closed)
        try turn.close()
    }

    @Test func aTurnEndsHoweverItEnds() throws {
        let turn = WriteTurn(Thing(), patience: .zero)
        #expect(throws: Interruption()) { try turn.call { _ in throw Interruption() } }
        #expect(throws: Interruption()) { try turn.hold { throw Interruption() } }
        let wait = onThread { try? turn.call { _ in } }
        #expect(wait())
        try turn.call { _ in }
    }

    @Test func oneThreadAtATimeHasTheTurn() throws {
        let turn = WriteTurn(Thing(), patience: .seconds(3600))
        // A race would lose some of these.
        let inside = Mutex((now: 0, most: 0, total: 0))
        let waits = (0..<8).map { _ in
            onThread {
                for _ in 0..<200 {
                    try? turn.call { _ in
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
        let turn = WriteTurn(Thing(), patience: .milliseconds(1))
        let busy = Mutex(0)
        try turn.hold {
            let waits = (0..<8).map { _ in
                onThread {
                    do { try turn.call { _ in } } catch { busy.withLock { $0 += 1 } }
                }
            }
            for wait in waits { #expect(wait()) }
        }
        #expect(busy.withLock { $0 } == 8)
        try turn.call { _ in }
        let wait = onThread { try? turn.hold { try turn.call { _ in } } }
        #expect(wait())
        try turn.call { _ in }
    }
}
