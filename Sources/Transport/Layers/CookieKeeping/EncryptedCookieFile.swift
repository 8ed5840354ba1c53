import Coordination
public import Foundation
import HTTPMessages
public import PatchbayErrors
import SystemLibraries

/// A file with the cookies of a jar, encrypted with AES-256-GCM, that only its owner can read (mode 0600).
///
/// ```swift
/// let file = EncryptedCookieFile(at: url, key: key)
/// if let saved = try file.load() { jar.restore(saved) }
/// try file.save(jar.snapshot())
/// ```
///
/// Saving replaces the file atomically. A file that cannot be decrypted is never replaced: ``save(_:)`` fails too,
/// until ``remove()`` deletes it. The file is read and written on the caller's thread.
public struct EncryptedCookieFile: Sendable {
    /// The file.
    public let url: URL
    private let key: [UInt8]

    /// The mark and the version of the format; then the check of the key, the nonce, and the encrypted JSON.
    private static let mark = Array("PBCOOKIE\u{1}".utf8)
    private static let checkSize = 16
    private static let headerSize = mark.count + checkSize + AESGCM.nonceSize

    /// Describes a file, which need not exist; its folder must.
    public init(at url: URL, key: CookieFileKey) {
        self.url = url
        self.key = [UInt8](key.rawRepresentation)
    }

    /// Reads the cookies; nil if the file does not exist.
    /// - Throws: ``CookieFileError`` (`wrongKey`, `damaged`, `storage`); `SystemLibraryError` (`missingLibrary`,
    ///   `missingFunction`) where the system has no libcrypto, and (`failed`) if that cannot encrypt or decrypt.
    public func load() throws -> CookieJar.Snapshot? {
        let data: Data?
        do {
            data = try SmallFile(url).read()
        } catch {
            throw failure("Cannot read", error)
        }
        return try data.map { try snapshot(in: opened([UInt8]($0))) }
    }

    /// Replaces the file with other cookies.
    /// - Throws: as ``load()``, also for the present file; it remains then.
    public func save(_ snapshot: CookieJar.Snapshot) throws {
        let data = try sealed(snapshot)
        var refusal: (any Error)?
        do {
            _ = try SmallFile(url).replace(with: data) { present in
                do {
                    if let present { _ = try self.opened([UInt8](present)) }
                    return true
                } catch {
                    refusal = error
                    return false
                }
            }
        } catch {
            throw failure("Cannot write", error)
        }
        if let refusal { throw refusal }
    }

    /// Deletes the file, if it exists.
    /// - Throws: ``CookieFileError`` (`storage`).
    public func remove() throws {
        do {
            try SmallFile(url).remove()
        } catch {
            throw failure("Cannot delete", error)
        }
    }

    /// A code by which the right key is known, and which says nothing about it.
    private var check: [UInt8] {
        Array(HMACSHA256(key: key).code(of: Array("patchbay cookie file".utf8)).prefix(Self.checkSize))
    }

    private func sealed(_ snapshot: CookieJar.Snapshot) throws -> Data {
        let nonce = AESGCM.randomBytes(AESGCM.nonceSize)
        let header = Self.mark + check + nonce
        let text = [UInt8](try JSONCoding.standard.encode(snapshot))
        return Data(header + (try AESGCM.seal(text, key: key, nonce: nonce, authenticating: header)))
    }

    /// The decrypted JSON. Saving needs no more of the present file, and holds the lock of the folder meanwhile.
    private func opened(_ bytes: [UInt8]) throws -> [UInt8] {
        guard bytes.starts(with: Self.mark), bytes.count >= Self.headerSize else {
            throw damaged("is no encrypted cookie file of this version")
        }
        let header = Array(bytes.prefix(Self.headerSize))
        guard header[Self.mark.count...].prefix(Self.checkSize).elementsEqual(check) else {
            throw CookieFileError(
                .wrongKey,
                "Wrong key for cookie file \(name), or the file is damaged; use the key that it was written with, restore "
                    + "it from a backup, or delete it.")
        }
        let opened = try AESGCM.open(
            Array(bytes.dropFirst(Self.headerSize)), key: key, nonce: Array(header.suffix(AESGCM.nonceSize)),
            authenticating: header)
        guard let opened else { throw damaged("is damaged") }
        return opened
    }

    private func snapshot(in opened: [UInt8]) throws(CookieFileError) -> CookieJar.Snapshot {
        // The decoder's error could quote a cookie.
        guard let snapshot = try? JSONCoding.standard.decode(CookieJar.Snapshot.self, from: Data(opened))
        else { throw damaged("is damaged") }
        return snapshot
    }

    private var name: String { url.lastPathComponent.debugDescription }

    private func damaged(_ problem: String) -> CookieFileError {
        CookieFileError(.damaged, "Cookie file \(name) \(problem); restore it from a backup, or delete it.")
    }

    private func failure(_ text: String, _ cause: any Error) -> CookieFileError {
        CookieFileError(
            .storage, "\(text) cookie file \(name): \((cause as NSError).localizedDescription).", underlying: cause)
    }
}

extension EncryptedCookieFile: RedactedStringConvertible {
    /// The name of the file, not the key.
    public var description: String { "encrypted cookie file \(name)" }
}
