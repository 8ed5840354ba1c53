import CCurl
import Foundation
import HTTPMessages

/// An easy handle of libcurl, reused for one transfer after the other.
///
/// Only the event thread uses it. libcurl's callbacks get a pointer to this object and forward to its transfer.
final class EasyHandle {
    let pointer: CurlLibrary.Handle
    let library: CurlLibrary
    /// The transfer of the handle; nil between transfers.
    var transfer: ActiveTransfer?
    /// The socket that the transfer has last waited for; -1 for none.
    var descriptor: CInt = -1
    /// The poller that closes sockets for libcurl.
    private let sockets: SocketPoller?
    private let errorText: UnsafeMutablePointer<CChar>
    private var lines: CurlLibrary.Handle?
    private var proxyLines: CurlLibrary.Handle?
    /// True when options are set that the next transfer may not need.
    private var isDirty = true
    /// The first option that libcurl has refused, and its result code.
    private(set) var refusal: (option: CurlOption, code: CInt)?

    init?(_ library: CurlLibrary, sockets: SocketPoller? = nil) {
        guard let pointer = library.easyInit() else { return nil }
        self.sockets = sockets
        self.library = library
        self.pointer = pointer
        errorText = .allocate(capacity: CurlConstant.errorBufferSize)
        errorText.initialize(repeating: 0, count: CurlConstant.errorBufferSize)
    }

    deinit {
        library.easyCleanup(pointer)
        library.listFree(lines)
        library.listFree(proxyLines)
        errorText.deallocate()
    }

    /// Sets the options of a transfer.
    /// - Parameters:
    ///   - profile: sets the options that all transfers of the client have.
    ///   - standardLines: the header lines of a request without fields and body.
    ///   - connection: the connections that the transfer may use.
    /// - Returns: false when libcurl refuses one of them, see ``refusal``.
    func configure(
        for transfer: ActiveTransfer, standardLines: CurlLibrary.Handle?, connection: ConnectionChoice,
        profile: (EasyHandle) -> Void
    ) -> Bool {
        self.transfer = transfer
        descriptor = -1
        refusal = nil
        errorText[0] = 0
        if isDirty {
            library.easyReset(pointer)
            setCallbacks()
            profile(self)
            isDirty = false
        }
        let call = transfer.call
        set(.url, call.target.url)
        // Only so is there a callback for each record, a text that tells of GOAWAY, and the head that a proxy gets.
        set(.verbose, transfer.mayBeMultiplexed || transfer.mayUseProxy ? 1 : 0)
        set(.pipeWait, connection == .awaitsMultiplexing ? 1 : 0)
        if connection == .own {
            change(.freshConnection, 1)
            change(.forbidReuse, 1)
        }
        if call.target.lines.isEmpty {
            set(.headers, standardLines)
        } else {
            lines = list(call.target.lines)
            set(.headers, lines)
        }
        if !call.target.proxyLines.isEmpty {
            isDirty = true
            proxyLines = list(call.target.proxyLines)
            set(.proxyHeaders, proxyLines)
        }
        setMethodAndBody(of: call)
        return refusal == nil
    }

    /// Detaches the handle from its transfer.
    func release() {
        transfer = nil
        library.listFree(lines)
        library.listFree(proxyLines)
        (lines, proxyLines) = (nil, nil)
    }

    private func setCallbacks() {
        let context = UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque())
        set(.privatePointer, context)
        set(.writeContext, context)
        set(.headerContext, context)
        set(.readContext, context)
        set(.seekContext, context)
        set(.errorBuffer, UnsafeRawPointer(errorText))
        set(.writeFunction, receiveBody)
        set(.headerFunction, receiveLine)
        set(.readFunction, sendBody)
        check(
            .seekFunction,
            ccurl_easy_set_seek_callback(library.easySetOption, pointer, CurlOption.seekFunction.rawValue, rewindBody))
        if let sockets {
            let poller = UnsafeRawPointer(Unmanaged.passUnretained(sockets).toOpaque())
            set(.openContext, poller)
            check(
                .openFunction,
                ccurl_easy_set_open_callback(
                    library.easySetOption, pointer, CurlOption.openFunction.rawValue, openSocket))
            set(.closeContext, poller)
            check(
                .closeFunction,
                ccurl_easy_set_close_callback(
                    library.easySetOption, pointer, CurlOption.closeFunction.rawValue, closeSocket))
        }
        set(.debugContext, context)
        check(
            .debugFunction,
            ccurl_easy_set_debug_callback(
                library.easySetOption, pointer, CurlOption.debugFunction.rawValue, receiveDebugData))
        if library.version.hasRequestCallback {
            set(.requestContext, context)
            check(
                .requestFunction,
                ccurl_easy_set_request_callback(
                    library.easySetOption, pointer, CurlOption.requestFunction.rawValue, willSendRequest))
        }
    }

    private func setMethodAndBody(of call: Call) {
        let method = call.request.method
        switch call.body {
        case .none:
            if method == .head {
                change(.noBody, 1)
            } else if method != .get {
                change(.customMethod, method.name)
            }
        case .bytes(let data):
            isDirty = true
            set(.postSize, Int64(data.count))
            data.withUnsafeBytes { bytes in
                withUnsafeBytes(of: 0 as UInt8) { empty in
                    set(.copiedBody, bytes.baseAddress ?? empty.baseAddress)
                }
            }
            change(.customMethod, method.name)
        case .pumped(let pump):
            isDirty = true
            set(.upload, 1)
            set(.bodySize, pump.length ?? -1)
            if pump.length ?? .max > 1 << 20 { set(.uploadBufferSize, 256 << 10) }
            change(.customMethod, method.name)
        }
        if case .streamed = call.recipient {
            isDirty = true
            // Refused, without harm, by a handle that has kept its buffer: one whose HTTP/2 connection stayed in use.
            _ = ccurl_easy_set_long(library.easySetOption, pointer, CurlOption.bufferSize.rawValue, 512 << 10)
        }
        if let timeout = call.request.options.connectTimeout { change(.connectTimeout, timeout.milliseconds) }
    }

    // MARK: Options

    func set(_ option: CurlOption, _ value: Int) {
        check(option, ccurl_easy_set_long(library.easySetOption, pointer, option.rawValue, value))
    }

    func set(_ option: CurlOption, _ value: Int64) {
        check(option, ccurl_easy_set_int64(library.easySetOption, pointer, option.rawValue, value))
    }

    func set(_ option: CurlOption, _ value: String) {
        check(option, ccurl_easy_set_pointer(library.easySetOption, pointer, option.rawValue, value))
    }

    func set(_ option: CurlOption, _ value: UnsafeRawPointer?) {
        check(option, ccurl_easy_set_pointer(library.easySetOption, pointer, option.rawValue, value))
    }

    func set(_ option: CurlOption, _ value: @escaping ccurl_data_callback) {
        check(option, ccurl_easy_set_data_callback(library.easySetOption, pointer, option.rawValue, value))
    }

    /// Sets an option to bytes, which libcurl copies.
    func set(_ option: CurlOption, _ value: Data) {
        value.withUnsafeBytes { bytes in
            withUnsafePointer(
                to: ccurl_blob(
                    data: UnsafeMutableRawPointer(mutating: bytes.baseAddress), count: bytes.count,
                    flags: CurlConstant.copyBlob)
            ) { set(option, UnsafeRawPointer($0)) }
        }
    }

    private func change(_ option: CurlOption, _ value: Int) {
        isDirty = true
        set(option, value)
    }

    private func change(_ option: CurlOption, _ value: String) {
        isDirty = true
        set(option, value)
    }

    private func check(_ option: CurlOption, _ code: CInt) {
        if code != 0, refusal == nil { refusal = (option, code) }
    }

    /// Creates a list of lines, each terminated by NUL.
    func list(_ lines: [UInt8]) -> CurlLibrary.Handle? {
        var list: CurlLibrary.Handle?
        lines.withUnsafeBytes { bytes in
            var start = 0
            while start < bytes.count, let base = bytes.baseAddress {
                let line = (base + start).assumingMemoryBound(to: CChar.self)
                list = library.listAppend(list, line) ?? list
                start += strlen(line) + 1
            }
        }
        return list
    }

    // MARK: Running transfers

    /// Notes that libcurl has received a TLS record for the transfer.
    func recordReceived() { sockets?.recordReceived(for: self) }

    /// The socket of the transfer's connection, as far as is known.
    var probableDescriptor: CInt { connection?.descriptor ?? transfer?.multiplexedConnection?.descriptor ?? -1 }

    /// Makes libcurl read less at a time, from a server that sends small chunks: it takes apart all that it has read.
    func limitReading() {
        guard connection != nil else { return }
        ccurl_limit_receive_buffer(descriptor, 8 << 10)
    }

    /// Applies the pauses of the transfer; may call its callbacks.
    func applyPauses() {
        guard let transfer else { return }
        _ = library.easyPause(
            pointer,
            (transfer.pausesReceiving ? CurlConstant.pauseReceiving : 0)
                | (transfer.isSendingPaused ? CurlConstant.pauseSending : 0))
    }

    /// The failure of the last transfer.
    func failure(_ code: CInt, url: URL) -> TransferFailure {
        var text = String(cString: errorText)
        if text.isEmpty { text = library.text(of: code) }
        return TransferFailure(
            code: code, text: text,
            systemError: sockets?.lastError.nonZero ?? CInt(truncatingIfNeeded: integer(.systemError)),
            isBeforeRequest: library.version.hasRequestCallback && transfer?.hasSentRequest == false, url: url)
    }

    private func integer(_ info: CurlInfo) -> Int {
        var value = 0
        return ccurl_easy_get_long(library.easyGetInfo, pointer, info.rawValue, &value) == 0 ? value : 0
    }

    private func count(_ info: CurlInfo) -> Int64 {
        var value: Int64 = 0
        return ccurl_easy_get_int64(library.easyGetInfo, pointer, info.rawValue, &value) == 0 ? value : 0
    }

    private func text(_ info: CurlInfo) -> String? {
        var value: UnsafePointer<CChar>?
        guard ccurl_easy_get_string(library.easyGetInfo, pointer, info.rawValue, &value) == 0, let value else {
            return nil
        }
        return value[0] == 0 ? nil : String(cString: value)
    }

    /// The connection of the transfer, if it was the first to use it.
    var connection: SocketTable.ID? { sockets?.connection(of: self) }

    /// The socket of the last transfer's connection; -1 if it is closed.
    var openDescriptor: CInt {
        var value: CInt = -1
        let result = withUnsafeMutablePointer(to: &value) {
            ccurl_easy_get_descriptor(library.easyGetInfo, pointer, CurlInfo.activeSocket.rawValue, $0)
        }
        return result == 0 ? value : -1
    }

    /// The measurements of the last transfer.
    var metrics: TransferMetrics {
        func time(_ info: CurlInfo) -> Duration { .microseconds(count(info)) }
        let isReused = integer(.connectCount) == 0
        let secured = time(.secureTime)
        return TransferMetrics(
            httpVersion: [1: "1.0", 2: "1.1", 3: "2", 30: "3"][integer(.httpVersion)] ?? "unknown",
            isConnectionReused: isReused,
            resolved: isReused ? nil : time(.resolveTime),
            connected: isReused ? nil : time(.connectTime),
            secured: isReused || secured == .zero ? nil : secured,
            firstByte: time(.firstByteTime), total: time(.totalTime), bytesSent: count(.uploadSize),
            bytesReceived: count(.downloadSize), remoteAddress: text(.remoteAddress))
    }
}

extension CInt {
    fileprivate var nonZero: CInt? { self == 0 ? nil : self }
}

extension Duration {
    /// Whole milliseconds, rounded up, as libcurl takes them.
    var milliseconds: Int {
        let (seconds, attoseconds) = components
        guard seconds >= 0 else { return 0 }
        guard seconds < 2_000_000 else { return 2_000_000_000 }
        return max(0, Int(seconds) * 1000 + Int((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000))
    }
}
