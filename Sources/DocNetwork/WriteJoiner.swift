#if Network
    internal import NIOCore

    /// Joins the bytes written between two flushes, so that TLS sends them as one record if they fit into it.
    ///
    /// NIO's encoder writes a chunk of a body as three buffers: its size, its bytes and a line end. TLS would make
    /// three records of them, which an Erlang client receives one by one. CouchDB's replicator requests the next record
    /// only after it has received bytes of the body, so after a record without any, such as a line end alone, it waits
    /// until it gives up.
    final class WriteJoiner: ChannelOutboundHandler {
        typealias OutboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private var joined: ByteBuffer?
        /// Completed when ``joined`` has been written.
        private var promise: EventLoopPromise<Void>?

        func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
            var bytes = unwrapOutboundIn(data)
            if joined?.writeBuffer(&bytes) == nil { joined = bytes }
            guard let promise else { return }
            if let first = self.promise { first.futureResult.cascade(to: promise) } else { self.promise = promise }
        }

        func flush(context: ChannelHandlerContext) {
            if let bytes = joined.take() { context.write(wrapOutboundOut(bytes), promise: promise.take()) }
            context.flush()
        }

        func handlerRemoved(context: ChannelHandlerContext) {
            joined = nil
            promise.take()?.fail(ChannelError.ioOnClosedChannel)
        }
    }
#endif
