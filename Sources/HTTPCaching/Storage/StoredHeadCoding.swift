import Foundation
import HTTPMessages

/// The binary form of a stored response without its body: a version byte, numbers in little endian, and texts in UTF-8
/// behind their lengths.
enum StoredHeadCoding {
    private static let version: UInt8 = 3

    static func encode(_ response: StoredResponse) -> Data {
        var writer = Writer()
        writer.add(version)
        writer.add(UInt16(response.status.code))
        writer.add(response.requestTime.bitPattern)
        writer.add(response.responseTime.bitPattern)
        writer.add(response.receivedTime.bitPattern)
        writer.add(UInt64(bitPattern: response.body.length ?? -1))
        let parts = response.body.parts ?? []
        writer.add(response.body.isComplete ? UInt16.max : UInt16(clamping: min(parts.count, 1_000)))
        for part in parts.prefix(1_000) {
            writer.add(UInt64(bitPattern: part.lowerBound))
            writer.add(UInt64(bitPattern: part.upperBound))
        }
        writer.add(UInt16(clamping: response.varying.count))
        for name in response.varying { writer.add(name) }
        writer.add(UInt32(clamping: response.fields.count))
        for field in response.fields {
            writer.add(field.name.rawName)
            writer.add(field.value)
        }
        return writer.data
    }

    /// - Throws: ``CacheStorageError`` (`damagedRow`).
    static func decode(
        _ bytes: UnsafeRawBufferPointer, body: StoredBody.Bytes, version row: Int64, rules: CacheRules
    ) throws -> StoredResponse {
        var reader = Reader(bytes: bytes)
        guard try reader.number() as UInt8 == version, let status = HTTPStatus(Int(try reader.number() as UInt16))
        else {
            throw CacheStorageError.damagedRow
        }
        let requestTime = Double(bitPattern: try reader.number())
        let responseTime = Double(bitPattern: try reader.number())
        let receivedTime = Double(bitPattern: try reader.number())
        let length = Int64(bitPattern: try reader.number())
        let count = try reader.number() as UInt16
        var stored = StoredBody(bytes: body)
        if count != .max {
            stored.parts = try (0..<count).map { _ in
                let (lower, upper) = (
                    Int64(bitPattern: try reader.number()), Int64(bitPattern: try reader.number())
                )
                guard 0 <= lower, lower < upper else { throw CacheStorageError.damagedRow }
                return lower..<upper
            }
            stored.length = length < 0 ? nil : length
        } else if length != stored.length {
            throw CacheStorageError.damagedBody
        }
        let names = try (0..<(try reader.number() as UInt16)).map { _ in try reader.text() }
        var fields = HTTPFields()
        for _ in 0..<(try reader.number() as UInt32) {
            do { try fields.append(try reader.text(), try reader.text()) } catch { throw CacheStorageError.damagedRow }
        }
        guard requestTime.isFinite, responseTime.isFinite, receivedTime.isFinite, reader.isAtEnd, stored.isConsistent
        else { throw CacheStorageError.damagedRow }
        return StoredResponse(
            status, fields, requestTime: requestTime, responseTime: responseTime, receivedTime: receivedTime,
            varying: names, body: stored, version: row, rules: rules)
    }

    /// ``StoredResponse/receivedTime`` in an encoded head; nil if there is none.
    static func receivedTime(in bytes: UnsafeRawBufferPointer) -> Double? {
        var reader = Reader(bytes: bytes)
        guard let number = try? reader.number() as UInt8, number == version, (try? reader.number() as UInt16) != nil,
            (try? reader.number() as UInt64) != nil, (try? reader.number() as UInt64) != nil,
            let time = try? reader.number() as UInt64
        else { return nil }
        return Double(bitPattern: time)
    }

    private struct Writer {
        private var bytes: [UInt8] = []

        init() { bytes.reserveCapacity(1_024) }

        var data: Data { Data(bytes) }

        mutating func add(_ number: some FixedWidthInteger) {
            withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
        }

        mutating func add(_ text: String) {
            add(UInt32(clamping: text.utf8.count))
            bytes.append(contentsOf: text.utf8)
        }
    }

    private struct Reader {
        let bytes: UnsafeRawBufferPointer
        var offset = 0

        var isAtEnd: Bool { offset == bytes.count }

        mutating func number<Number: FixedWidthInteger>() throws -> Number {
            let size = MemoryLayout<Number>.size
            guard bytes.count - offset >= size else { throw CacheStorageError.damagedRow }
            defer { offset += size }
            return Number(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Number.self))
        }

        mutating func text() throws -> String {
            let count = Int(try number() as UInt32)
            guard bytes.count - offset >= count else { throw CacheStorageError.damagedRow }
            defer { offset += count }
            return String(decoding: bytes[offset..<(offset + count)], as: UTF8.self)
        }
    }
}

/// A checksum of stored bytes, which finds damage and no forgery: words are multiplied and folded.
enum StoredChecksum {
    static func of(_ bytes: UnsafeRawBufferPointer) -> Int64 {
        var sum = 0x9E37_79B9_7F4A_7C15 ^ UInt64(bytes.count)
        var offset = 0
        while bytes.count - offset >= 8 {
            sum = mixed(sum, bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            offset += 8
        }
        var rest: UInt64 = 0
        while offset < bytes.count {
            rest = rest << 8 | UInt64(bytes[offset])
            offset += 1
        }
        return Int64(bitPattern: mixed(sum, rest))
    }

    @inline(__always) private static func mixed(_ sum: UInt64, _ word: UInt64) -> UInt64 {
        let product = (sum ^ word.littleEndian).multipliedFullWidth(by: 0xD6E8_FEB8_6659_FD93)
        return product.high ^ product.low
    }
}
