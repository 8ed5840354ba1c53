import CCurl
import Foundation
import HTTPMessages
import Transport

/// A connection without HTTP on the event thread: libcurl has connected it, and encrypts if the URL is https.
final class ConnectedSocket {
    let id: Call.ID
    let descriptor: CInt
    let handle: EasyHandle
    let pipe: SocketPipe
    private let address: String
    private var unsent = Data()
    /// The number of bytes of ``unsent`` that were sent.
    private var offset = 0
    private var isReading = true
    /// True if there is no TLS, neither to the server nor to a proxy.
    private let isPlain: Bool
    /// True once libcurl has found the connection again: until then it may close its socket for another transfer.
    private var isAttached = false
    /// The error of sending, told to the reader after the bytes that had arrived before.
    private var sendingError: TransportError?
    /// True from ``close()`` on.
    private(set) var isClosing = false

    init(_ id: Call.ID, _ handle: EasyHandle, _ pipe: SocketPipe, url: URL, isPlain: Bool) {
        self.id = id
        self.handle = handle
        self.pipe = pipe
        self.isPlain = isPlain
        descriptor = handle.openDescriptor
        address = "\(url.host() ?? "")"
    }

    /// True while bytes wait for the network.
    var hasUnsent: Bool { !unsent.isEmpty }

    /// True if the network takes no more bytes; those that have arrived are still received.
    var cannotSend: Bool { sendingError != nil }

    /// What the poller is to wait for.
    var interest: CInt { (isReading ? 1 : 0) | (unsent.isEmpty ? 0 : 2) }

    /// Ends it for the tasks: the bytes that were written are still sent, and those that arrive are dropped.
    ///
    /// They are read, since a peer that cannot send may not read either, and since the system resets a connection with
    /// unread bytes. Bytes that arrive after the last one was sent can still have that effect.
    func close() {
        isClosing = true
        isReading = true
        pipe.finish(.failure(SocketPipe.closed))
    }

    enum Reception {
        /// There is nothing more, or the reader lags.
        case waiting
        /// There may be more, in the next round: the bytes that TLS has decrypted do not make the socket ready.
        case share
        /// The peer sends no more, and may still read.
        case end
        case lost
    }
    private static let readsPerRound = 16
    private static let sentBytesPerRound = 1 << 20

    /// Receives a share of what there is, while the reader keeps up.
    func receive(into buffer: UnsafeMutableRawBufferPointer) -> Reception {
        isReading = true
        for _ in 0..<Self.readsPerRound {
            let room = isClosing ? buffer.count : pipe.room()
            guard room > 0 else {
                isReading = false
                return .waiting
            }
            var count = 0
            let code = handle.library.easyReceive(handle.pointer, buffer.baseAddress, min(buffer.count, room), &count)
            if code == 0 || code == CurlConstant.again { attach() }
            switch code {
            case 0 where count > 0:
                if !isClosing { pipe.received(UnsafeRawBufferPointer(rebasing: buffer[..<count])) }
            case 0 where isClosing:
                // The peer may still read.
                isReading = false
                return .waiting
            case CurlConstant.again where sendingError == nil: return .waiting
            case 0 where sendingError == nil:
                pipe.finish(.success(()))
                return .end
            default:
                pipe.finish(.failure(sendingError ?? lost("receiving", code)))
                return .lost
            }
        }
        return .share
    }

    private func attach() {
        guard !isAttached else { return }
        isAttached = true
        if isPlain, descriptor >= 0 { pipe.setSocket(descriptor) }
    }

    /// Sends a share of what waits, as far as the network takes it. The poller tells when it takes more.
    func send() {
        var share = Self.sentBytesPerRound
        while !cannotSend {
            if unsent.isEmpty {
                guard let next = pipe.takeOutgoing() else { return }
                (unsent, offset) = (next, 0)
            }
            guard share > 0 else { return }
            var count = 0
            let code = unsent.withUnsafeBytes { bytes in
                let rest = UnsafeRawBufferPointer(rebasing: bytes[offset...])
                return handle.library.easySend(handle.pointer, rest.baseAddress, rest.count, &count)
            }
            guard code == 0 || code == CurlConstant.again else {
                let error = lost("sending", code)
                (sendingError, unsent) = (error, Data())
                return pipe.endWriting(error)
            }
            offset += count
            share -= count
            if offset == unsent.count { unsent = Data() }
            if count > 0 { pipe.sent(count) }
            if code != 0 { return }
        }
    }

    private func lost(_ activity: String, _ code: CInt) -> TransportError {
        TransportError(
            .connectionLost, "Connection lost while \(activity): \(address).",
            underlying: CurlError(
                .transfer, "libcurl: \(handle.library.text(of: code))", curlCode: Int(code)))
    }
}

/// The connected sockets of an event thread, by their calls and descriptors.
struct ConnectedSockets {
    private var byID: [Call.ID: ConnectedSocket] = [:]
    private var byDescriptor: [CInt: ConnectedSocket] = [:]

    var isEmpty: Bool { byID.isEmpty }
    var all: [ConnectedSocket] { Array(byID.values) }

    subscript(id: Call.ID) -> ConnectedSocket? { byID[id] }
    subscript(descriptor descriptor: CInt) -> ConnectedSocket? {
        byDescriptor.isEmpty ? nil : byDescriptor[descriptor]
    }

    mutating func add(_ socket: ConnectedSocket) {
        byID[socket.id] = socket
        byDescriptor[socket.descriptor] = socket
    }

    /// - Returns: false if it was removed before.
    mutating func remove(_ socket: ConnectedSocket) -> Bool {
        guard byID.removeValue(forKey: socket.id) != nil else { return false }
        // libcurl may have closed the socket of a connection that is not attached, and opened another one.
        if byDescriptor[socket.descriptor] === socket { byDescriptor[socket.descriptor] = nil }
        return true
    }
}
