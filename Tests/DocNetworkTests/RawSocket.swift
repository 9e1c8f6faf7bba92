#if Network
    import Foundation

    #if canImport(Glibc)
        import Glibc
    #else
        import Darwin
    #endif

    /// A blocking TCP socket on the loopback interface, for bytes that no proper client or server would send.
    final class RawSocket: Sendable {
        struct Failure: Error { let call: String }

        private let descriptor: CInt

        private init(_ descriptor: CInt) throws {
            guard descriptor >= 0 else { throw Failure(call: "socket") }
            self.descriptor = descriptor
            // So that a test that waits for nothing ends.
            var limit = timeval(tv_sec: 300, tv_usec: 0)
            _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        }

        deinit { close(descriptor) }

        private static func make() throws -> RawSocket {
            #if canImport(Glibc)
                try RawSocket(socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0))
            #else
                try RawSocket(socket(AF_INET, SOCK_STREAM, 0))
            #endif
        }

        private static func withAddress<R>(_ port: Int, _ body: (UnsafePointer<sockaddr>, socklen_t) -> R) -> R {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = in_port_t(port).bigEndian
            address.sin_addr.s_addr = in_addr_t(0x7f00_0001).bigEndian
            let size = socklen_t(MemoryLayout<sockaddr_in>.size)
            return unsafe withUnsafePointer(to: &address) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe body($0, size) }
            }
        }

        /// Connects to a port of this machine.
        static func connected(to port: Int) throws -> RawSocket {
            let socket = try make()
            let result = unsafe withAddress(port) { unsafe connect(socket.descriptor, $0, $1) }
            guard result == 0 else { throw Failure(call: "connect") }
            return socket
        }

        /// Connects to a port of the IPv6 address of this machine; `nil` if it has none.
        static func connected(toIPv6 port: Int) throws -> RawSocket? {
            #if canImport(Glibc)
                let end = try RawSocket(socket(AF_INET6, CInt(SOCK_STREAM.rawValue), 0))
            #else
                let end = try RawSocket(socket(AF_INET6, SOCK_STREAM, 0))
            #endif
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = in_port_t(port).bigEndian
            address.sin6_addr = in6addr_loopback
            let size = socklen_t(MemoryLayout<sockaddr_in6>.size)
            let result = unsafe withUnsafePointer(to: &address) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    unsafe connect(end.descriptor, $0, size)
                }
            }
            if result == 0 { return end }
            guard errno == EADDRNOTAVAIL || errno == EAFNOSUPPORT else { throw Failure(call: "connect") }
            return nil
        }

        /// Listens at a free port.
        static func listening() throws -> (socket: RawSocket, port: Int) {
            let (socket, port) = try reserving()
            guard listen(socket.descriptor, 16) == 0 else { throw Failure(call: "listen") }
            return (socket, port)
        }

        /// Holds a port at which nobody listens, so that no other test gets it.
        static func reserving() throws -> (socket: RawSocket, port: Int) {
            let socket = try make()
            guard unsafe withAddress(0, { unsafe bind(socket.descriptor, $0, $1) }) == 0 else {
                throw Failure(call: "bind")
            }
            var address = sockaddr_in()
            var size = socklen_t(MemoryLayout<sockaddr_in>.size)
            _ = unsafe withUnsafeMutablePointer(to: &address) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    unsafe getsockname(socket.descriptor, $0, &size)
                }
            }
            return (socket, Int(in_port_t(bigEndian: address.sin_port)))
        }

        /// Waits for a client.
        func accepted() throws -> RawSocket { try RawSocket(accept(descriptor, nil, nil)) }

        func send(_ text: String) throws {
            var bytes = Array(text.utf8)[...]
            while !bytes.isEmpty {
                let count = unsafe bytes.withUnsafeBytes { buffer in
                    #if canImport(Glibc)
                        unsafe Glibc.send(descriptor, buffer.baseAddress, buffer.count, CInt(MSG_NOSIGNAL))
                    #else
                        unsafe Darwin.send(descriptor, buffer.baseAddress, buffer.count, 0)
                    #endif
                }
                guard count > 0 else { throw Failure(call: "send") }
                bytes = bytes.dropFirst(count)
            }
        }

        /// Returns the bytes that have arrived, at least one; an empty string once the peer has closed the connection.
        func received() throws -> String {
            var bytes = [UInt8](repeating: 0, count: 1 << 16)
            let count = unsafe bytes.withUnsafeMutableBytes { unsafe recv(descriptor, $0.baseAddress, $0.count, 0) }
            // A peer that closes the connection with unread bytes resets it.
            if count < 0, errno == ECONNRESET { return "" }
            guard count >= 0 else { throw Failure(call: "recv") }
            return String(decoding: bytes[..<count], as: UTF8.self)
        }

        /// Returns everything up to and including a text, or up to the end of the connection.
        func received(upTo end: String) throws -> String {
            var text = ""
            while !text.contains(end) {
                let part = try received()
                if part.isEmpty { break }
                text += part
            }
            return text
        }

        /// Returns everything up to the end of the connection.
        func receivedToEnd() throws -> String { try received(upTo: "\u{0}never\u{0}") }
    }
#endif
