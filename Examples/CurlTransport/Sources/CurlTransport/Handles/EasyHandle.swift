import CCurl
import Foundation
import HTTPMessages
import Transport

/// An easy handle of libcurl: a copy of a template, which has the options that all transfers of a client have.
///
/// To copy them takes less time than to set them. Only the event thread uses a handle. libcurl's callbacks get a
/// pointer to this object and forward to its transfer.
final class EasyHandle {
    private(set) var pointer: CurlLibrary.Handle
    let library: CurlLibrary
    /// The transfer of the handle; nil between transfers.
    var transfer: ActiveTransfer?
    /// The socket that the transfer has last waited for; -1 for none.
    var descriptor: CInt = -1
    /// The poller that closes sockets for libcurl.
    let sockets: SocketPoller?
    let errorText: UnsafeMutablePointer<CChar>
    private var lines: CurlLibrary.Handle?
    private var proxyLines: CurlLibrary.Handle?
    private var connectTo: CurlLibrary.Handle?
    /// False when options are set that the next transfer may not need.
    private(set) var isReusable = true
    /// True if libcurl closes the connection of the transfer at its end.
    private(set) var closesConnection = false
    /// False for a copy of a template without the files that TLS needs; see ``omitTrust()``.
    private(set) var hasTrust = true
    /// The first option that libcurl has refused, and its result code.
    private(set) var refusal: (option: CurlOption, code: CInt)?

    private init(_ library: CurlLibrary, _ sockets: SocketPoller?, _ pointer: CurlLibrary.Handle) {
        self.library = library
        self.sockets = sockets
        self.pointer = pointer
        errorText = .allocate(capacity: CurlConstant.errorBufferSize)
        errorText.initialize(to: 0)
    }

    /// Creates a template with the callbacks of all transfers.
    convenience init?(_ library: CurlLibrary, sockets: SocketPoller? = nil) {
        guard let pointer = library.easyInit() else { return nil }
        self.init(library, sockets, pointer)
        setCallbacks()
    }

    /// Creates a copy of a template.
    /// - Parameter share: the share of TLS sessions, which is not copied.
    convenience init?(copying template: EasyHandle, share: CurlLibrary.Handle?) {
        guard let pointer = template.library.easyDuplicate(template.pointer) else { return nil }
        self.init(template.library, template.sockets, pointer)
        setContexts(of: template, share)
    }

    /// Replaces libcurl's handle by another copy of a template: the old one must not be used again.
    /// - Returns: false when the process has no memory left.
    func renew(copying template: EasyHandle, share: CurlLibrary.Handle?) -> Bool {
        guard let pointer = library.easyDuplicate(template.pointer) else { return false }
        library.easyCleanup(self.pointer)
        self.pointer = pointer
        setContexts(of: template, share)
        return true
    }

    private func setContexts(of template: EasyHandle, _ share: CurlLibrary.Handle?) {
        refusal = template.refusal
        hasTrust = template.hasTrust
        isReusable = true
        set(.share, UnsafeRawPointer(share))
        set(.errorBuffer, UnsafeRawPointer(errorText))
        for option in [CurlOption.privatePointer, .writeContext, .headerContext] { set(option, context) }
        if library.version.hasRequestCallback { set(.requestContext, context) }
    }

    deinit {
        library.easyCleanup(pointer)
        library.listFree(lines)
        library.listFree(proxyLines)
        library.listFree(connectTo)
        errorText.deallocate()
    }

    /// The pointer to this object for callbacks.
    private var context: UnsafeRawPointer { UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()) }

    /// Sets the options of a transfer.
    /// - Parameters:
    ///   - standardLines: the header lines of a request without fields and body.
    ///   - connection: the connections that the transfer may use.
    /// - Returns: false when libcurl refuses one of them, see ``refusal``.
    func configure(
        for transfer: ActiveTransfer, standardLines: CurlLibrary.Handle?, connection: ConnectionChoice
    ) -> Bool {
        self.transfer = transfer
        descriptor = -1
        errorText[0] = 0
        let call = transfer.call
        set(.url, call.target.url)
        // Only so is there a callback for each record, a text that tells of GOAWAY, and the head that a proxy gets.
        let isVerbose = (transfer.mayBeMultiplexed || transfer.mayUseProxy) && transfer.socketPipe == nil
        if isVerbose { set(.debugContext, context) }
        set(.verbose, isVerbose ? 1 : 0)
        set(.pipeWait, connection == .awaitsMultiplexing ? 1 : 0)
        closesConnection = connection == .own
        if closesConnection {
            change(.freshConnection, 1)
            change(.forbidReuse, 1)
        }
        if call.target.lines.isEmpty {
            set(.headers, standardLines)
        } else {
            lines = library.list(transfer.expectsContinue ? call.target.expectingLines : call.target.lines)
            set(.headers, lines)
        }
        if transfer.expectsContinue, let timeout = call.request.options.continueTimeout {
            change(.continueTimeout, timeout.milliseconds)
        }
        if !call.target.proxyLines.isEmpty {
            isReusable = false
            proxyLines = library.list(call.target.proxyLines)
            set(.proxyHeaders, proxyLines)
        }
        setMethodAndBody(of: call)
        setDestination(call.request.options, of: call)
        return refusal == nil
    }

    /// Removes the names of files that only TLS needs: a template without them is copied faster.
    func omitTrust() {
        hasTrust = false
        for option in [CurlOption.trustFile, .trustFolder, .proxyTrustFile, .proxyTrustFolder] {
            // Refused where TLS has no such file, which is as good.
            _ = ccurl_easy_set_pointer(library.easySetOption, pointer, option.rawValue, nil)
        }
    }

    /// Detaches the handle from its transfer.
    func release() {
        transfer = nil
        library.listFree(lines)
        library.listFree(proxyLines)
        library.listFree(connectTo)
        (lines, proxyLines, connectTo) = (nil, nil, nil)
    }

    private func setCallbacks() {
        set(.writeFunction, receiveBody)
        set(.headerFunction, receiveLine)
        set(.readFunction, sendBody)
        // libcurl's own is the standard input, which the callback would take for a handle.
        set(.readContext, nil as UnsafeRawPointer?)
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
        check(
            .debugFunction,
            ccurl_easy_set_debug_callback(
                library.easySetOption, pointer, CurlOption.debugFunction.rawValue, receiveDebugData))
        if library.version.hasRequestCallback {
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
            isReusable = false
            set(.postSize, Int64(data.count))
            data.withUnsafeBytes { bytes in
                withUnsafeBytes(of: 0 as UInt8) { empty in
                    set(.copiedBody, bytes.baseAddress ?? empty.baseAddress)
                }
            }
            change(.customMethod, method.name)
        case .pumped(let pump):
            isReusable = false
            set(.readContext, context)
            set(.seekContext, context)
            set(.upload, 1)
            let hasTrailers = call.request.options.trailers != nil
            // Only chunks can have trailers.
            set(.bodySize, hasTrailers ? -1 : pump.length ?? -1)
            if hasTrailers { setTrailerCallback() }
            if pump.length ?? .max > 1 << 20 { set(.uploadBufferSize, 256 << 10) }
            change(.customMethod, method.name)
        }
        if case .streamed = call.recipient {
            isReusable = false
            // Refused, without harm, by a handle that has kept its buffer: one whose HTTP/2 connection stayed in use.
            _ = ccurl_easy_set_long(library.easySetOption, pointer, CurlOption.bufferSize.rawValue, 512 << 10)
        }
        if let timeout = call.request.options.connectTimeout { change(.connectTimeout, timeout.milliseconds) }
    }

    private func setTrailerCallback() {
        set(.trailerContext, context)
        check(
            .trailerFunction,
            ccurl_easy_set_trailer_callback(
                library.easySetOption, pointer, CurlOption.trailerFunction.rawValue, sendTrailers))
    }

    /// Sets where to connect, and the version of HTTP.
    private func setDestination(_ options: RequestOptions, of call: Call) {
        if case .connected = call.recipient {
            change(.connectOnly, 1)
            // With it, libcurl would close the connection at once.
            change(.forbidReuse, 0)
            change(.proxyTunnel, 1)
            change(.httpVersion, 2)
        }
        guard !options.isPlain else { return }
        if let path = options.unixSocketPath {
            change(.unixSocketPath, path)
            change(.proxy, "")
            change(.noProxy, "*")
        }
        if !options.nameOverrides.isEmpty {
            isReusable = false
            connectTo = library.list(options.connectToLines)
            set(.connectTo, connectTo)
        }
        // CURL_HTTP_VERSION_1_1, ..._2TLS, ..._2_PRIOR_KNOWLEDGE and ..._3
        switch options.httpVersion {
        case nil: break
        case .http1: change(.httpVersion, 2)
        case .http2: change(.httpVersion, call.target.isSecure ? 4 : 5)
        case .http3: change(.httpVersion, 30)
        // Refused before, see `prepare`.
        @unknown default: break
        }
    }

    // MARK: Running transfers

    /// Notes that libcurl has received a TLS record for the transfer.
    func recordReceived() { sockets?.recordReceived(for: self) }

    /// The socket of the transfer's connection, as far as is known.
    var probableDescriptor: CInt { connection?.descriptor ?? transfer?.multiplexedConnection?.descriptor ?? -1 }

    /// Makes libcurl read less at a time, from a server that sends small chunks: it takes apart all that it has read.
    ///
    /// The connection gets no further request, whose response would be as slow.
    func limitReading() {
        guard connection != nil else { return }
        change(.forbidReuse, 1)
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

    private func change(_ option: CurlOption, _ value: Int) {
        isReusable = false
        set(option, value)
    }

    private func change(_ option: CurlOption, _ value: String) {
        isReusable = false
        set(option, value)
    }

    /// Notes a refused option.
    func check(_ option: CurlOption, _ code: CInt) {
        if code != 0, refusal == nil { refusal = (option, code) }
    }
}
