import PatchbayTestKit
import Testing
import Transport

@testable import Queueing

@Suite struct FlightsTests {
    @Test func `those who ask for the same share a flight`() {
        var flights = Flights<String, String>()
        let ids = (0..<3).map { _ in flights.makeID() }
        let first = flights.board("a", id: ids[0], for: "x")
        let second = flights.board("b", id: ids[1], for: "x")
        let third = flights.board("c", id: ids[2], for: "y")
        #expect(first.isNew && !second.isNew && third.isNew)
        #expect(second.flight == first.flight && third.flight != first.flight && flights.count == 2)
        #expect(Set(flights.end(first.flight)) == ["a", "b"])
        #expect(flights.end(first.flight).isEmpty && !flights.isUnderWay(first.flight))
        #expect(flights.leave(ids[0])?.passenger == nil)
        #expect(flights.board("d", id: flights.makeID(), for: "x").isNew)
    }

    @Test func `the last to leave ends it`() {
        var flights = Flights<String, String>()
        let ids = (0..<2).map { _ in flights.makeID() }
        let flight = flights.board("a", id: ids[0], for: "x").flight
        _ = flights.board("b", id: ids[1], for: "x")
        let first = flights.leave(ids[0])
        #expect(first?.passenger == "a" && first?.abandoned == nil && flights.leave(ids[0])?.passenger == nil)
        let second = flights.leave(ids[1])
        #expect(second?.passenger == "b" && second?.abandoned == flight && flights.count == 0)
        #expect(flights.end(flight).isEmpty)
    }

    @Test func `who comes later learns what was missed`() {
        var flights = Flights<String, String>()
        let flight = flights.board("a", id: flights.makeID(), for: "x").flight
        for count in 1...3 as ClosedRange<Int64> {
            #expect(flights.note(.received(count, of: nil), on: flight) == ["a"])
        }
        #expect(flights.board("b", id: flights.makeID(), for: "x").missed == [.received(3, of: nil)])
        #expect(Set(flights.note(.received(4, of: nil), on: flight)) == ["a", "b"])
        #expect(flights.note(.received(4, of: nil), on: 77).isEmpty)
    }

    @Test func `everybody gets off exactly once`() {
        for seed in 0..<200 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            var flights = Flights<Int, UInt64>()
            var (aboard, gone, under): (Set<UInt64>, [UInt64], Set<UInt64>) = ([], [], [])
            for _ in 0..<200 {
                switch Int.random(in: 0..<4, using: &generator) {
                case 0, 1:
                    let id = flights.makeID()
                    under.insert(flights.board(id, id: id, for: Int.random(in: 0..<3, using: &generator)).flight)
                    aboard.insert(id)
                case 2:
                    guard let id = aboard.randomElement(using: &generator), let left = flights.leave(id) else { break }
                    gone.append(left.passenger)
                    if let flight = left.abandoned { under.remove(flight) }
                default:
                    guard let flight = under.randomElement(using: &generator) else { break }
                    under.remove(flight)
                    gone += flights.end(flight)
                }
                aboard.subtract(gone)
                #expect(flights.count == under.count && Set(gone).count == gone.count)
            }
            for flight in under { gone += flights.end(flight) }
            #expect(aboard.isSubset(of: gone) && flights.count == 0)
        }
    }
}
