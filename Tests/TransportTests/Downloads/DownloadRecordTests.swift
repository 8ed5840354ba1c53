import Foundation
import Testing

@testable import Transport

@Suite struct DownloadRecordTests {
    private let record = DownloadRecord(url: "http://h/?a=b", entityTag: "\"1\"", length: 7)

    @Test func `round-trips through its encoding`() { #expect(DownloadRecord(record.data) == record) }

    @Test func `rejects damaged records`() throws {
        for count in 0..<record.data.count { #expect(DownloadRecord(record.data.prefix(count)) == nil) }
        let text = String(decoding: record.data, as: UTF8.self)
        for (old, new) in [(":1", ":2"), (":7", ":0"), (":7", ":-7"), (":7", ":7.5"), ("length", "size")] {
            let changed = text.replacingOccurrences(of: old, with: new)
            #expect(changed != text && DownloadRecord(Data(changed.utf8)) == nil, "\(new)")
        }
    }
}
