import DeltaSync
import Foundation
import StoreCore
import TestSupport
import Testing

@testable import HyperHive

@Suite(.needsSlot) struct LongRowTests {
    @Test(arguments: [false, true])
    func `a row of more than 16 MiB loads within a higher limit, also from a temporary file`(isSpooled: Bool)
        async throws
    {
        try await LoaderFixture.onStores { store in
            let fixture = try LoaderFixture(store)
            let length = 17 << 20
            let rows = "[[1,1,\"\(String(repeating: "a", count: length))\"]]"
            // Rows before the name of their table are received into a file first.
            let text =
                isSpooled ? "[{\"data\":\(rows),\"name\":\"fruits\"}]" : "[{\"name\":\"fruits\",\"data\":\(rows)}]"
            func load(_ limit: Int) async throws(DeltaError) -> TableChanges {
                try await fixture.writer.write(
                    LoaderFixture.body(text, 1 << 20), content: .full(1), etag: nil, into: fixture.target,
                    requestedAt: nil, maximumRowLength: limit)
            }
            let error = await #expect(throws: DeltaError.self) { try await load(16 << 20) }
            #expect(error?.code == .rowTooLarge)
            #expect(try await load(18 << 20).upserts == 1)
            #expect(try store.rows("SELECT length(name) FROM R_fruits", []) == [[.integer(Int64(length))]])
        }
    }
}
