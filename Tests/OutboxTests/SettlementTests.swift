import Foundation
import HTTPMessages
import Testing

@testable import Outbox

@Suite struct SettlementTests {
    private static func response(_ status: HTTPStatus) -> HTTPResponse {
        HTTPResponse(status: status, url: URL(filePath: "/"))
    }
    private static let failure = OutboxFailure(.noResponse, "m")

    private static func settle(_ result: SendOutcome.Result, _ change: (inout EntryRow) -> Void = { _ in })
        -> Settlement
    {
        let row = EntryRow.sample(change)
        return Settlement(SendOutcome(id: row.id, result: result, wait: .seconds(2)), of: row, by: "me", now: 1000)
    }

    private static func row(_ settlement: Settlement) -> EntryRow? {
        if case .store(let row) = settlement { row } else { nil }
    }

    @Test func `a success removes the entry, also after the lease was lost`() {
        let done = SendOutcome.Result.response(Self.response(.ok), .done, isTruncated: false)
        #expect(Self.settle(done) == .remove)
        #expect(Self.settle(done) { $0.sender = "other" } == .remove)
        #expect(Self.settle(done) { ($0.phase, $0.sender) = (.ready, nil) } == .remove)
    }

    @Test func `another outcome after the lease was lost changes nothing`() {
        for result in [
            SendOutcome.Result.response(Self.response(.badRequest), .failed, isTruncated: false),
            .error(Self.failure, .again(), isUnsent: false), .interrupted, .unsent,
        ] {
            #expect(Self.settle(result) { $0.sender = "other" } == .ignore)
            #expect(Self.settle(result) { ($0.phase, $0.sender) = (.ready, nil) } == .ignore)
        }
    }

    @Test func `a delayed entry is ready after the wait`() throws {
        let row = try #require(
            Self.row(Self.settle(.response(Self.response(.serviceUnavailable), .again(), isTruncated: false))))
        #expect(row.phase == .delayed && row.due == 3000 && row.sender == nil && row.doubt == 0)
        #expect(row.failure?.status == .serviceUnavailable)
    }

    @Test func `a refusal leaves the doubt of an earlier attempt, since a gateway may have answered`() throws {
        let row = try #require(
            Self.row(Self.settle(.response(Self.response(.badRequest), .failed, isTruncated: false)) { $0.doubt = 3 }))
        #expect(row.phase == .failed && row.doubt == 3 && row.due == nil && row.entry.isOutcomeUnknown)
    }

    @Test(arguments: [(true, 0 as Int64), (false, EntryRow.doubt)])
    func `an error leaves a doubt unless nothing was sent`(isUnsent: Bool, doubt: Int64) throws {
        for verdict in [OutboxVerdict.again(), .failed] {
            let row = try #require(Self.row(Self.settle(.error(Self.failure, verdict, isUnsent: isUnsent))))
            #expect(row.doubt == doubt && row.phase == (verdict == .failed ? .failed : .delayed))
        }
    }

    @Test(arguments: [
        (HTTPStatus.badRequest, 0 as Int64, EntryRow.doubt), (.conflict, 0, 3), (.conflict, 2, 1), (.conflict, -1, -1),
    ])
    func `a lost attempt of a layer below leaves a doubt, unless there is one`(
        status: HTTPStatus, before: Int64, after: Int64
    ) throws {
        let row = EntryRow.sample { $0.doubt = before }
        let outcome = SendOutcome(
            id: row.id, result: .response(Self.response(status), .again(), isTruncated: false), wait: .zero,
            hasLostAttempt: true)
        #expect(try #require(Self.row(Settlement(outcome, of: row, by: "me", now: 0))).doubt == after)
    }

    @Test func `four conflicts are taken for an earlier attempt in progress, and the doubt stays`() throws {
        var doubt: [Int64] = []
        var row = EntryRow.sample { $0.doubt = EntryRow.doubt }
        for _ in 0..<5 {
            row.phase = .sending
            row.sender = "me"
            let outcome = SendOutcome(
                id: row.id, result: .response(Self.response(.conflict), .again(), isTruncated: false), wait: .zero)
            row = try #require(Self.row(Settlement(outcome, of: row, by: "me", now: 0)))
            doubt.append(row.doubt)
        }
        #expect(doubt == [3, 2, 1, -1, -1])
        #expect(row.entry.isOutcomeUnknown && !row.entry.mayBeInProgress)
    }

    @Test func `an interrupted entry is ready and in doubt, an unsent one is as before`() throws {
        let interrupted = try #require(Self.row(Self.settle(.interrupted)))
        #expect(interrupted.phase == .ready && interrupted.doubt == EntryRow.doubt && interrupted.attempts == 1)
        let unsent = try #require(Self.row(Self.settle(.unsent)))
        #expect(unsent.phase == .ready && unsent.doubt == 0 && unsent.attempts == 0)
    }
}
