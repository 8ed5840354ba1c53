import Testing

@testable import DeltaSync
@testable import StoreCore

@Suite struct DeltaDispositionTests {
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
            // A full load in pages is in progress, without or with older rows.
            (nil, "p1", "p1", "p2", true, .continueLoad), (nil, "p1", "p1", "4", false, .continueLoad),
            (nil, "p1", "p1", "p1", true, .skip), (nil, "p2", "p1", "p2", true, .skip),
            (nil, "p1", nil, "p1", true, .skip),
            (nil, "p1", "p2", "p3", true, .gap), (nil, "p2", nil, "p1", true, .load),
            ("3", "p1", nil, "4", false, .load),
            ("3", "p1", "p1", "4", false, .continueLoad), ("3", "p1", "3", "4", false, .change),
            ("3", "p1", nil, "3", false, .load),
            ("3", "p1", "2", "3", false, .skip), ("3", "p1", "2", "4", false, .gap),
        ] as [(String?, String?, String?, String, Bool, DeltaDisposition)])
    func `the disposition follows from header and stored state`(
        version: String?, page: String?, from: String?, to: String, hasMore: Bool, plan: DeltaDisposition
    ) {
        let header = DeltaHeader(baseVersion: from, targetVersion: to, hasMore: hasMore)
        #expect(DeltaDisposition(header, StoredState(version: version, page: page)) == plan)
    }

    @Test(
        arguments: [
            (nil, nil, .fullLoad), ("3", nil, .changes(since: "3")), (nil, "p1", .nextPage(after: "p1")),
            ("3", "p1", .nextPage(after: "p1")),
        ] as [(String?, String?, DeltaRequest)])
    func `the next request follows from the stored state`(version: String?, page: String?, request: DeltaRequest) {
        #expect(DeltaDisposition.request(StoredState(version: version, page: page)) == request)
    }

    @Test func `a gap causes one retry, then a full load`() {
        var session = SyncSession()
        let storedState = StoredState(version: "3", page: nil)
        #expect(session.gap(storedState) == .request(.changes(since: "3")))
        #expect(session.gap(storedState) == .startOver)
        #expect(session.gap(StoredState()) == .fail)
    }

    @Test func `pages are requested until the last one`() {
        var session = SyncSession()
        func page(_ version: String?, duplicate: Bool = false) -> DeltaOutcome {
            DeltaOutcome(version: version, counts: DeltaCounts(), isDuplicate: duplicate, hasMore: true)
        }
        #expect(session.next(page("4"), .init(version: "4")) == .request(.changes(since: "4")))
        #expect(session.next(page(nil), .init(page: "p1")) == .request(.nextPage(after: "p1")))
        // The same page again is no progress.
        #expect(session.next(page(nil, duplicate: true), .init(page: "p1")) == .request(.nextPage(after: "p1")))
        #expect(session.next(page(nil, duplicate: true), .init(page: "p1")) == .startOver)
        // It starts over once.
        #expect(session.next(page(nil), .init(page: "p1")) == .request(.nextPage(after: "p1")))
        #expect(session.next(page(nil, duplicate: true), .init(page: "p1")) == .request(.nextPage(after: "p1")))
        #expect(session.next(page(nil, duplicate: true), .init(page: "p1")) == .fail)
    }
}
