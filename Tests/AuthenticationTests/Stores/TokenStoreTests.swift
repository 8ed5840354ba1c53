import Authentication
import Foundation
import SystemLibraries
import TestSupport
import Testing

/// The stores whose calls do not wait.
private protocol SynchronousStore {
    func load() throws -> TokenSet?
    func save(_ tokens: TokenSet?) throws
    func save(_ tokens: TokenSet, replacing expected: TokenSet?) throws -> Bool
}
extension FileTokenStore: SynchronousStore {}
extension MemoryTokenStore: SynchronousStore {}

@Suite(.needsSlot) struct TokenStoreTests {
    private func tokens() throws -> TokenSet {
        let token = try OAuthToken("t", scope: "a", expiry: Date(timeIntervalSince1970: 1_000_000))
        return TokenSet(tokens: ["a b": token, .empty: try OAuthToken("u")], refreshToken: "r")
    }

    @Test func `a file keeps all tokens, for its owner only`() throws {
        let folder = try TemporaryFolder()
        let store = FileTokenStore(at: folder.url.appending(path: "tokens"))
        #expect(try store.load() == nil)
        for round in 0..<2 {
            try store.save(tokens())
            #expect(try store.load() == tokens())
            #expect(try FileStatus(at: store.url.path).mode == 0o600)
            // A file that was made readable is replaced.
            if round == 0 {
                try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: store.url.path)
            }
        }
        #expect(try folder.names == ["tokens"])
        try store.save(nil)
        #expect(try store.load() == nil && folder.names == [])
    }

    @Test func `what a killed client has left is deleted by each call`() throws {
        let calls: [(FileTokenStore) throws -> Void] = [
            { _ = try $0.load() }, { try $0.save(TokenSet()) }, { try $0.save(nil) },
            { _ = try $0.save(TokenSet(), replacing: nil) },
        ]
        for call in calls {
            let folder = try TemporaryFolder()
            let store = FileTokenStore(at: folder.url.appending(path: "tokens"))
            try store.save(tokens())
            try Data("s3cret".utf8).write(to: folder.url.appending(path: ".tokens.new"))
            try call(store)
            #expect(try folder.names.filter { $0 != "tokens" } == [])
        }
    }

    @Test func `an empty set is not the absence of one`() throws {
        let folder = try TemporaryFolder()
        for store in [FileTokenStore(at: folder.url.appending(path: "tokens")), MemoryTokenStore()]
            as [any SynchronousStore]
        {
            try store.save(TokenSet())
            #expect(try store.load() == TokenSet())
            try store.save(nil)
            #expect(try store.load() == nil)
        }
    }

    @Test func `tokens are replaced unless another client has changed them`() throws {
        let folder = try TemporaryFolder()
        for store in [FileTokenStore(at: folder.url.appending(path: "tokens")), MemoryTokenStore()]
            as [any SynchronousStore]
        {
            #expect(try !store.save(tokens(), replacing: TokenSet()) && store.load() == nil)
            #expect(try store.save(tokens(), replacing: nil) && store.load() == tokens())
            #expect(try !store.save(TokenSet(), replacing: nil) && store.load() == tokens())
            // An expiry that a store has rounded is no change.
            var expected = try tokens()
            expected.tokens["a b"] = try OAuthToken("t", scope: "a", expiry: Date(timeIntervalSince1970: 1_000_000.4))
            #expect(try store.save(TokenSet(), replacing: expected) && store.load() == TokenSet())
        }
    }

    @Test(arguments: [
        "", "{", "{\"tokens\": []", "[\"s3cret\"]", "{\"tokens\": []}",
        "{\"version\": 1, \"tokens\": [{\"value\": \"s3cret\"}]}",
    ])
    func `a damaged file is an error without its contents`(contents: String) throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appending(path: "tokens")
        try Data(contents.utf8).write(to: url)
        let error = #expect(throws: AuthenticationError.self) { try FileTokenStore(at: url).load() }
        #expect(error?.code == .tokenStore && error?.underlying == nil && error?.message.contains("s3cret") == false)
    }

    @Test(arguments: [0, 2]) func `an unknown version is an error that names it`(version: Int) throws {
        let folder = try TemporaryFolder()
        let store = FileTokenStore(at: folder.url.appending(path: "tokens"))
        try store.save(tokens())
        let text = try String(contentsOf: store.url, encoding: .utf8)
        let changed = text.replacing(#""version":1"#, with: #""version":\#(version)"#)
        try #require(changed != text)
        try Data(changed.utf8).write(to: store.url)
        let error = #expect(throws: AuthenticationError.self) { try store.load() }
        #expect(error?.code == .tokenStore && error?.underlying == nil)
        #expect(error?.message.contains(#"file "tokens": Unknown version \#(version) "#) == true)
    }

    @Test func `a file that cannot be deleted is an error`() throws {
        let folder = try TemporaryFolder()
        // A folder in place of the file.
        let error = #expect(throws: AuthenticationError.self) { try FileTokenStore(at: folder.url).save(nil) }
        #expect(error?.code == .tokenStore && error?.underlying != nil)
        #expect(try folder.names == [])
    }

    @Test func `a folder that does not exist is an error`() throws {
        let folder = try TemporaryFolder()
        let missing = FileTokenStore(at: folder.url.appending(path: "missing/tokens"))
        let error = #expect(throws: AuthenticationError.self) { try missing.save(tokens()) }
        #expect(error?.code == .tokenStore && error?.message.contains("tokens") == true)
        #expect(try folder.names == [])
    }

    @Test func `the old file remains after a failed save`() throws {
        let folder = try TemporaryFolder()
        let short = FileTokenStore(at: folder.url.appending(path: "tokens"))
        try short.save(tokens())
        // The longest name that a file may have, so that the name of the temporary file is too long.
        let store = FileTokenStore(at: folder.url.appending(path: String(repeating: "t", count: 255)))
        try FileManager.default.moveItem(at: short.url, to: store.url)
        let error = #expect(throws: AuthenticationError.self) { try store.save(TokenSet(refreshToken: "new")) }
        #expect(error?.code == .tokenStore && (error?.underlying as? POSIXError)?.code == .ENAMETOOLONG)
        #expect(try store.load() == tokens() && folder.names == [store.url.lastPathComponent])
    }

    @Test func `a save that cannot replace its target leaves no temporary file`() throws {
        let folder = try TemporaryFolder()
        let store = FileTokenStore(at: folder.url.appending(path: "tokens"))
        let child = store.url.appending(path: "child")
        try FileManager.default.createDirectory(at: child, withIntermediateDirectories: true)
        let error = #expect(throws: AuthenticationError.self) { try store.save(tokens()) }
        #expect(error?.code == .tokenStore && error?.underlying is POSIXError)
        #expect(try folder.names == ["tokens"] && FileStatus(at: child.path).kind == .folder)
    }

    @Test func `memory keeps the tokens`() throws {
        let store: MemoryTokenStore = .memory
        #expect(store.load() == nil)
        store.save(try tokens())
        #expect(store.load() == (try tokens()))
        store.save(nil)
        #expect(store.load() == nil)
    }

    @Test func `descriptions have no tokens`() throws {
        var dumped = ""
        dump(try tokens(), to: &dumped)
        #expect(try "\(tokens())" == "2 access tokens, a refresh token" && !dumped.contains("\"t\""))
    }
}
