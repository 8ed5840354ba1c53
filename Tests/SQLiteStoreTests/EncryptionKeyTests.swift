import Testing

@testable import SQLiteStore

@Suite struct EncryptionKeyTests {
    @Test func `encryption key is never shown`() {
        let key = EncryptionKey("hunter2")
        var text = "\(key) \(String(reflecting: key))"
        dump(key, to: &text)
        #expect(!text.contains("hunter2"))
        #expect(key != .unencrypted)
        #expect(EncryptionKey("") == .unencrypted)
    }

    @Test func `each quote is doubled, also before a combining mark`() {
        #expect(EncryptionKey("it's").quoted == "'it''s'")
        #expect(Array(EncryptionKey("a'\u{301}").quoted.utf8) == Array("'a'".utf8) + Array("'\u{301}'".utf8))
    }
}
