import CCurl

// libcurl calls these on the event thread, from `curl_multi_socket_action` and `curl_easy_pause`. They must not call
// libcurl, except for `curl_easy_pause`.

extension UnsafeMutableRawPointer? {
    /// The transfer of the handle that is the context of a callback.
    fileprivate var transfer: ActiveTransfer? {
        flatMap { Unmanaged<EasyHandle>.fromOpaque($0).takeUnretainedValue().transfer }
    }
}

/// `CURLOPT_WRITEFUNCTION`
func receiveBody(_ data: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?)
    -> Int
{
    guard let transfer = context.transfer else { return -1 }
    return switch transfer.receiveBody(UnsafeRawBufferPointer(start: data, count: size * count)) {
    case .taken: size * count
    case .pause: CurlConstant.pause
    case .abort: -1
    }
}

/// `CURLOPT_HEADERFUNCTION`
func receiveLine(_ data: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?)
    -> Int
{
    guard let transfer = context.transfer else { return -1 }
    return transfer.receiveLine(UnsafeRawBufferPointer(start: data, count: size * count)) ? size * count : -1
}

/// `CURLOPT_READFUNCTION`
func sendBody(_ data: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?)
    -> Int
{
    guard let transfer = context.transfer else { return CurlConstant.abortRead }
    return switch transfer.sendBody(into: UnsafeMutableRawBufferPointer(start: data, count: size * count)) {
    case .bytes(let count): count
    case .pause: CurlConstant.pause
    case .end: 0
    case .abort: CurlConstant.abortRead
    }
}

/// `CURLOPT_TRAILERFUNCTION`; libcurl releases the list.
func sendTrailers(_ list: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ context: UnsafeMutableRawPointer?) -> CInt
{
    guard let list, let transfer = context.transfer, let lines = transfer.trailerLines() else { return 1 }
    list.pointee = transfer.handle?.library.list(lines)
    return 0
}

/// `CURLOPT_SEEKFUNCTION`; libcurl only seeks to the start, to send the request again.
func rewindBody(_ context: UnsafeMutableRawPointer?, _ offset: Int64, _ origin: CInt) -> CInt {
    guard offset == 0, origin == 0, let transfer = context.transfer, transfer.rewindBody() else { return 1 }
    return 0
}

/// `CURLOPT_PREREQFUNCTION`
func willSendRequest(
    _ context: UnsafeMutableRawPointer?, _ remote: UnsafeMutablePointer<CChar>?, _ local: UnsafeMutablePointer<CChar>?,
    _ remotePort: CInt, _ localPort: CInt
) -> CInt {
    context.transfer?.willSendRequest() == true ? 0 : 1
}

/// `CURLOPT_DEBUGFUNCTION`; kind 0 is a text of libcurl's, 2 the head of a request, 5 a part of TLS that was received.
func receiveDebugData(
    _ easy: UnsafeMutableRawPointer?, _ kind: CInt, _ data: UnsafeMutablePointer<CChar>?, _ count: Int,
    _ context: UnsafeMutableRawPointer?
) -> CInt {
    // Most calls are about other texts, and about head lines and data, which have callbacks of their own.
    let isOfInterest = kind == 0 ? ccurl_contains(data, count, "GOAWAY") != 0 : kind == 2 || kind == 5
    guard let context, isOfInterest else { return 0 }
    let handle = Unmanaged<EasyHandle>.fromOpaque(context).takeUnretainedValue()
    switch kind {
    case 0: handle.transfer?.endAnnounced()
    case 2: handle.transfer?.headSent(UnsafeRawBufferPointer(start: data, count: count))
    default: handle.recordReceived()
    }
    return 0
}

/// `CURLOPT_OPENSOCKETFUNCTION`; its context is the poller.
func openSocket(
    _ context: UnsafeMutableRawPointer?, _ purpose: CInt, _ address: UnsafeMutablePointer<ccurl_socket_address>?
) -> CInt {
    guard let poller = context.map({ Unmanaged<SocketPoller>.fromOpaque($0).takeUnretainedValue() }),
        let address = address?.pointee
    else { return -1 }
    return poller.openSocket(family: address.family, type: address.type, protocol: address.protocol_number)
}

/// `CURLOPT_CLOSESOCKETFUNCTION`; its context is the poller.
func closeSocket(_ context: UnsafeMutableRawPointer?, _ descriptor: CInt) -> CInt {
    context.map { Unmanaged<SocketPoller>.fromOpaque($0).takeUnretainedValue() }?.closeSocket(descriptor) ?? 1
}
