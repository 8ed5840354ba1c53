/// Options of easy handles (`CURLoption` of `curl.h`): the number includes the type of the value.
enum CurlOption: CInt {
    case noSignal = 99
    case verbose = 41
    case trustCacheTimeout = 321
    case upload = 46
    case noBody = 44
    case pathAsIs = 234
    case pipeWait = 237
    case suppressConnectHeaders = 265
    case disallowUserInURL = 278
    case protocols = 181
    case verifyPeer = 64
    case verifyHost = 81
    case sslVersion = 32
    case proxySSLVersion = 250
    case httpVersion = 84
    case ipResolve = 113
    case contentDecoding = 158
    case sessionCache = 150
    case connectTimeout = 156
    case freshConnection = 74
    case forbidReuse = 75
    case quickExit = 322
    case connectOnly = 141
    case proxyTunnel = 61
    case bufferSize = 98
    case uploadBufferSize = 280
    case continueTimeout = 227
    case http09 = 285
    case bodySize = 30_115
    case postSize = 30_120
    case writeContext = 10_001
    case url = 10_002
    case proxy = 10_004
    case readContext = 10_009
    case errorBuffer = 10_010
    case headers = 10_023
    case debugContext = 10_095
    case certificateFile = 10_025
    case keyPassword = 10_026
    case headerContext = 10_029
    case customMethod = 10_036
    case trustFile = 10_065
    case certificateType = 10_086
    case keyFile = 10_087
    case keyType = 10_088
    case trustFolder = 10_097
    case share = 10_100
    case privatePointer = 10_103
    case copiedBody = 10_165
    case seekContext = 10_168
    case proxyUser = 10_175
    case proxyPassword = 10_176
    case noProxy = 10_177
    case proxyHeaders = 10_228
    case unixSocketPath = 10_231
    case connectTo = 10_243
    case pinnedPublicKey = 10_230
    case proxyTrustFile = 10_246
    case proxyTrustFolder = 10_247
    case openContext = 10_164
    case closeContext = 10_209
    case requestContext = 10_313
    case trailerContext = 10_284
    case writeFunction = 20_011
    case readFunction = 20_012
    case headerFunction = 20_079
    case seekFunction = 20_167
    case debugFunction = 20_094
    case openFunction = 20_163
    case closeFunction = 20_208
    case requestFunction = 20_312
    case trailerFunction = 20_283
    case certificateBlob = 40_291
    case keyBlob = 40_292
    case trustBlob = 40_309
    case proxyTrustBlob = 40_310
}

/// Information of easy handles (`CURLINFO` of `curl.h`).
enum CurlInfo: CInt {
    case privatePointer = 0x10_0015
    case remoteAddress = 0x10_0020
    case connectCount = 0x20_001A
    case systemError = 0x20_0019
    case httpVersion = 0x20_002E
    case activeSocket = 0x50_002C
    case uploadSize = 0x60_0007
    case downloadSize = 0x60_0008
    case totalTime = 0x60_0032
    case resolveTime = 0x60_0033
    case connectTime = 0x60_0034
    case firstByteTime = 0x60_0036
    case secureTime = 0x60_0038
}

/// Values that libcurl's functions take and return.
enum CurlConstant {
    static let messageDone: CInt = 1
    /// `CURLE_AGAIN`: a socket is not ready.
    static let again: CInt = 81
    static let copyBlob: CUnsignedInt = 1
    static let errorBufferSize = 256
    /// Return values of data callbacks.
    static let pause = 0x1000_0001
    static let abortRead = 0x1000_0000
    /// Bits of `curl_easy_pause`.
    static let pauseReceiving: CInt = 1
    static let pauseSending: CInt = 4
    /// The descriptor with which `curl_multi_socket_action` handles timers.
    static let timerDescriptor: CInt = -1
    static let multiSocketFunction: CInt = 20_001
    static let multiSocketContext: CInt = 10_002
    static let multiTimerFunction: CInt = 20_004
    static let multiTimerContext: CInt = 10_005
    /// HTTP and HTTPS for `CURLOPT_PROTOCOLS`.
    static let webProtocols = 3
    static let multiMaximumConnections: CInt = 6
    static let multiPipelining: CInt = 3
    static let multiplex = 2
    static let shareOption: CInt = 1
    static let shareTLSSessions: CInt = 4
}
