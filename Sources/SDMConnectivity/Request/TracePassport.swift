import Foundation

/// The trace headers of one request: `SAP-PASSPORT` and `X-CorrelationID`.
///
/// The vendor's pages name the headers only. The value has a layout of this library: 230 bytes in hexadecimal digits,
/// between two eye catchers. It was not compared with a specification of the passport, so a server may ignore it.
struct TracePassport: Sendable {
    static let passportHeader = "SAP-PASSPORT"
    static let correlationHeader = "X-CorrelationID"

    private let root: UUID
    private let transaction: UUID
    private let connection: UUID

    init(root: UUID = UUID(), transaction: UUID = UUID(), connection: UUID = UUID()) {
        self.root = root
        self.transaction = transaction
        self.connection = connection
    }

    /// The identity of the whole trace.
    var correlationID: String { Self.hexadecimal(Self.bytes(root)) }

    /// The passport in upper-case hexadecimal digits.
    var text: String {
        let eyeCatcher = Array("*TH*".utf8)
        var bytes = eyeCatcher
        bytes += [3]  // version
        bytes += [0x00, 0xE6]  // length of the passport: 230
        bytes += [0x00, 0x00]  // trace flags
        bytes += Self.padded("SDMConnectivity", 32)  // component
        bytes += [0x00, 0x01]  // service
        bytes += Self.padded("", 32)  // user, which is not told
        bytes += Self.padded("HTTP request", 40)  // action
        bytes += [0x00, 0x0B]  // type of the action: HTTP
        bytes += Self.padded("SDMConnectivity", 32)  // previous component
        bytes += Array(Self.hexadecimal(Self.bytes(transaction)).utf8)
        bytes += Self.padded("", 3)  // client
        bytes += [0x00, 0x00]  // type of the component
        bytes += Self.bytes(root)
        bytes += Self.bytes(connection)
        bytes += [0x00, 0x00, 0x00, 0x01]  // counter of the connection
        bytes += [0x00, 0x00, 0x00, 0x00]  // no variable parts
        bytes += eyeCatcher
        return Self.hexadecimal(bytes)
    }

    private static func padded(_ text: String, _ count: Int) -> [UInt8] {
        Array(text.utf8.prefix(count)) + Array(repeating: 0x20, count: max(0, count - text.utf8.count))
    }

    private static func bytes(_ id: UUID) -> [UInt8] { withUnsafeBytes(of: id.uuid) { Array($0) } }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { String(format: "%02X", $0) }.joined()
    }
}
