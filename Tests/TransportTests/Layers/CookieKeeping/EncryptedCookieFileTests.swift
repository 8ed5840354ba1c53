import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing
import Transport

@Suite struct EncryptedCookieFileTests {
    private let folder: TemporaryFolder
    private let url: URL
    private let key = CookieFileKey.generate()

    init() throws {
        folder = try TemporaryFolder()
        url = folder.url.appending(path: "cookies")
    }

    private func jar(_ value: String = "s3cret-value") throws -> CookieJar {
        let jar = CookieJar(suffixes: .conservative)
        jar.set(try Cookie("sid", value, domain: "shop.example", isSecure: true, sameSite: .lax, expires: .now + 9999))
        jar.set(try Cookie("lang", "de", domain: "shop.example"))
        return jar
    }

    @Test func `cookies are read as they were written, and only their owner can read the file`() throws {
        let (jar, file) = (try jar(), EncryptedCookieFile(at: url, key: key))
        #expect(try file.load() == nil)
        try file.save(jar.snapshot(includingSessionCookies: true))
        let other = CookieJar(suffixes: .conservative)
        let sameKey = try CookieFileKey(rawRepresentation: key.rawRepresentation)
        let loaded = try EncryptedCookieFile(at: url, key: sameKey).load()
        other.restore(try #require(loaded))
        #expect(other.cookies == jar.cookies && other.cookies.count == 2)
        let data = try Data(contentsOf: url)
        for text in ["s3cret-value", "sid", "shop.example"] { #expect(data.range(of: Data(text.utf8)) == nil) }
        let attributes = try FileManager.default.attributesOfItem(atPath: url.path)
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
        // Each file has its own nonce.
        try file.save(jar.snapshot(includingSessionCookies: true))
        #expect(try Data(contentsOf: url) != data && file.load() == loaded)
        try file.remove()
        try file.remove()
        #expect(try file.load() == nil)
    }

    @Test func `a file of another key is neither read nor replaced`() throws {
        let jar = try jar()
        try EncryptedCookieFile(at: url, key: key).save(jar.snapshot())
        let data = try Data(contentsOf: url)
        let other = EncryptedCookieFile(at: url, key: .generate())
        for use in [{ _ = try other.load() }, { try other.save(CookieJar().snapshot()) }] as [() throws -> Void] {
            let error = #expect(throws: CookieFileError.self) { try use() }
            #expect(error?.code == .wrongKey && error?.message.contains("\"cookies\"") == true)
        }
        #expect(try Data(contentsOf: url) == data)
        try other.remove()
        try other.save(jar.snapshot())
        #expect(try other.load() == jar.snapshot())
    }

    @Test func `a damaged file is an error at each byte, and is not replaced`() throws {
        let file = EncryptedCookieFile(at: url, key: key)
        try file.save(try jar().snapshot())
        let data = try Data(contentsOf: url)
        // The check of the key is a part of the file, too.
        var damaged = data.indices.map { index -> (content: Data, code: CookieFileError.Code) in
            var changed = data
            changed[index] ^= 0x20
            return (changed, (9..<25).contains(index) ? .wrongKey : .damaged)
        }
        let others = [0, 1, 8, 9, 36, 37, data.count - 1].map { data.prefix($0) } + [data + [0], Data("[]".utf8)]
        damaged += others.map { ($0, .damaged) }
        for (content, code) in damaged {
            try content.write(to: url)
            for use in [{ _ = try file.load() }, { try file.save(CookieJar().snapshot()) }] as [() throws -> Void] {
                let error = #expect(throws: CookieFileError.self) { try use() }
                #expect(error?.code == code)
                #expect(code == .damaged || error?.message.contains("or the file is damaged") == true)
                #expect(error?.description.contains("sid") == false)
            }
            #expect(try Data(contentsOf: url) == content)
        }
    }

    @Test func `a missing folder, and a folder in place of the file are errors of the storage`() throws {
        let nowhere = EncryptedCookieFile(at: folder.url.appending(path: "none/cookies"), key: key)
        let error = #expect(throws: CookieFileError.self) { try nowhere.save(CookieJar().snapshot()) }
        #expect(error?.code == .storage && (error?.underlying as? POSIXError)?.code == .ENOENT)
        #expect(try nowhere.load() == nil)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
        let file = EncryptedCookieFile(at: url, key: key)
        #expect(throws: CookieFileError.self) { try file.save(CookieJar().snapshot()) }
    }

    @Test(arguments: [0, 16, 31, 33]) func `a key has 32 bytes`(count: Int) {
        let error = #expect(throws: CookieFileError.self) { try CookieFileKey(rawRepresentation: Data(count: count)) }
        #expect(error?.code == .invalidKey && error?.message.contains("\(count) bytes") == true)
    }

    @Test func `no description shows the key`() throws {
        let key = try CookieFileKey(rawRepresentation: Data(repeating: 0x41, count: 32))
        var text = ""
        dump(key, to: &text)
        dump(EncryptedCookieFile(at: url, key: key), to: &text)
        text += "\(key) \(EncryptedCookieFile(at: url, key: key))"
        #expect(!text.contains("AAAA") && !text.contains("65") && text.contains("cookies"))
        #expect(CookieFileKey.generate() != CookieFileKey.generate())
    }
}
