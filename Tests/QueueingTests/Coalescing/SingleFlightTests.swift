import PatchbayTestKit
import Testing
import Transport

@testable import Queueing

@Suite struct SingleFlightTests {
    @Test func `equal keys share a flight`() {
        var flights = SingleFlight<String, String>()
        let ids = (0..<3).map { _ in flights.makeID() }
        let first = flights.join("a", id: ids[0], for: "x")
        let second = flights.join("b", id: ids[1], for: "x")
        let third = flights.join("c", id: ids[2], for: "y")
        #expect(first.isNew && !second.isNew && third.isNew)
        #expect(second.flight == first.flight && third.flight != first.flight && flights.count == 2)
        #expect(Set(flights.finish(first.flight)) == ["a", "b"])
        #expect(flights.finish(first.flight).isEmpty && !flights.isInFlight(first.flight))
        #expect(flights.cancel(ids[0])?.waiter == nil)
        #expect(flights.join("d", id: flights.makeID(), for: "x").isNew)
    }

    @Test func `cancelling the last waiter ends the flight`() {
        var flights = SingleFlight<String, String>()
        let ids = (0..<2).map { _ in flights.makeID() }
        let flight = flights.join("a", id: ids[0], for: "x").flight
        _ = flights.join("b", id: ids[1], for: "x")
        let first = flights.cancel(ids[0])
        #expect(first?.waiter == "a" && first?.abandonedFlight == nil && flights.cancel(ids[0])?.waiter == nil)
        let second = flights.cancel(ids[1])
        #expect(second?.waiter == "b" && second?.abandonedFlight == flight && flights.count == 0)
        #expect(flights.finish(flight).isEmpty)
    }

    @Test func `a late waiter gets the missed events`() {
        var flights = SingleFlight<String, String>()
        let flight = flights.join("a", id: flights.makeID(), for: "x").flight
        for count in 1...3 as ClosedRange<Int64> {
            #expect(flights.record(.receivedBytes(count, total: nil), on: flight) == ["a"])
        }
        #expect(flights.join("b", id: flights.makeID(), for: "x").missedEvents == [.receivedBytes(3, total: nil)])
        #expect(Set(flights.record(.receivedBytes(4, total: nil), on: flight)) == ["a", "b"])
        #expect(flights.record(.receivedBytes(4, total: nil), on: 77).isEmpty)
    }

    @Test func `each waiter leaves exactly once`() {
        for seed in 0..<200 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            var flights = SingleFlight<Int, UInt64>()
            var (aboard, gone, under): (Set<UInt64>, [UInt64], Set<UInt64>) = ([], [], [])
            for _ in 0..<200 {
                switch Int.random(in: 0..<4, using: &generator) {
                case 0, 1:
                    let id = flights.makeID()
                    under.insert(flights.join(id, id: id, for: Int.random(in: 0..<3, using: &generator)).flight)
                    aboard.insert(id)
                case 2:
                    guard let id = aboard.randomElement(using: &generator), let left = flights.cancel(id) else { break }
                    gone.append(left.waiter)
                    if let flight = left.abandonedFlight { under.remove(flight) }
                default:
                    guard let flight = under.randomElement(using: &generator) else { break }
                    under.remove(flight)
                    gone += flights.finish(flight)
                }
                aboard.subtract(gone)
                #expect(flights.count == under.count && Set(gone).count == gone.count)
            }
            for flight in under { gone += flights.finish(flight) }
            #expect(aboard.isSubset(of: gone) && flights.count == 0)
        }
    }
}
