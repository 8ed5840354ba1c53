import SQLiteStore
import Testing

@Suite struct EncryptionKeyTests {
    @Test func `encryption key is never shown`() {
        let key = EncryptionKey("hunter2")
        var text = "\(key) \(String(reflecting: key))"
        dump(key, to: &text)
        #expect(!text.contains("hunter2"))
        #expect(key != .none)
        #expect(EncryptionKey("") == .none)
    }
}
