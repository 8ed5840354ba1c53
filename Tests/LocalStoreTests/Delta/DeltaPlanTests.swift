import Testing

@testable import LocalStore

@Suite struct DeltaPlanTests {
    @Test(
        arguments: [
            // Nothing is stored.
            (nil, nil, nil, "1", false, .load), (nil, nil, nil, "p1", true, .load), (nil, nil, "1", "2", false, .gap),
            (nil, nil, "0", "1", false, .gap),
            // A version is stored.
            ("3", nil, "3", "4", false, .change), ("3", nil, "3", "3.1", true, .change),
            ("3", nil, "3", "3", false, .skip),
            ("3", nil, "2", "3", false, .skip), ("3", nil, "2", "4", false, .gap), ("3", nil, "4", "5", false, .gap),
            ("3", nil, "2", "3", true, .skip), ("3", nil, nil, "3", false, .skip), ("3", nil, nil, "4", false, .load),
            ("3", nil, nil, "2", false, .load), ("3", nil, nil, "p1", true, .load),
            // Pages are being loaded, for the first time or beside older rows.
            (nil, "p1", "p1", "p2", true, .continueLoad), (nil, "p1", "p1", "4", false, .continueLoad),
            (nil, "p1", "p1", "p1", true, .skip), (nil, "p2", "p1", "p2", true, .skip),
            (nil, "p1", nil, "p1", true, .skip),
            (nil, "p1", "p2", "p3", true, .gap), (nil, "p2", nil, "p1", true, .load),
            ("3", "p1", nil, "4", false, .load),
            ("3", "p1", "p1", "4", false, .continueLoad), ("3", "p1", "3", "4", false, .change),
            ("3", "p1", nil, "3", false, .load),
            ("3", "p1", "2", "3", false, .skip), ("3", "p1", "2", "4", false, .gap),
        ] as [(String?, String?, String?, String, Bool, DeltaPlan)])
    func `a delta meets what is stored`(
        version: String?, page: String?, from: String?, to: String, hasMore: Bool, plan: DeltaPlan
    ) {
        let header = DeltaHeader(from: from, to: to, hasMore: hasMore)
        #expect(DeltaPlan(header, DeltaStanding(version: version, page: page)) == plan)
    }

    @Test(
        arguments: [
            (nil, nil, .everything), ("3", nil, .changes(since: "3")), (nil, "p1", .rest(after: "p1")),
            ("3", "p1", .rest(after: "p1")),
        ] as [(String?, String?, DeltaRequest)])
    func `what is asked for`(version: String?, page: String?, request: DeltaRequest) {
        #expect(DeltaPlan.request(DeltaStanding(version: version, page: page)) == request)
    }

    @Test func `a gap is asked about once, then everything is`() {
        var exchange = DeltaExchange()
        let standing = DeltaStanding(version: "3", page: nil)
        #expect(exchange.gap(standing) == .ask(.changes(since: "3")))
        #expect(exchange.gap(standing) == .startOver)
        #expect(exchange.gap(DeltaStanding()) == .fail)
    }

    @Test func `pages are asked for until there are no more`() {
        var exchange = DeltaExchange()
        func page(_ version: String?, duplicate: Bool = false) -> DeltaOutcome {
            DeltaOutcome(version: version, counts: DeltaCounts(), isDuplicate: duplicate, hasMore: true)
        }
        #expect(exchange.next(page("4"), .init(version: "4")) == .ask(.changes(since: "4")))
        #expect(exchange.next(page(nil), .init(page: "p1")) == .ask(.rest(after: "p1")))
        // The same page again is no progress.
        #expect(exchange.next(page(nil, duplicate: true), .init(page: "p1")) == .ask(.rest(after: "p1")))
        #expect(exchange.next(page(nil, duplicate: true), .init(page: "p1")) == .startOver)
    }
}
