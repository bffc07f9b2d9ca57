/* What Debian 12's static libstdc++ and libgcc take from glibc after 2.28, for programs that run on 2.28.
   scripts/linux-sysroot adds it to the part of the C library that is always linked. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

/* 2.32: whether atomic operations may be left out. */
char __libc_single_threaded = 0;

/* 2.36: for std::random_device. */
uint32_t arc4random(void) {
  uint32_t value = 0;
  char* to = (char*)&value;
  for (size_t done = 0; done < sizeof value;) {
    const ssize_t got = getrandom(to + done, sizeof value - done, 0);
    if (got > 0) {
      done += (size_t)got;
    } else if (errno != EINTR) {
      abort();
    }
  }
  return value;
}

/* 2.30: waits with the deadline of a clock. Conditions wait by the realtime clock here, so that the deadline becomes one
   of it, and a change of the clock meanwhile moves it; std::condition_variable checks its own clock again. */
int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock, const struct timespec* until) {
  struct timespec here, real;
  if (clock_gettime(clock, &here) != 0 || clock_gettime(CLOCK_REALTIME, &real) != 0) {
    return EINVAL;
  }
  int64_t seconds = (int64_t)until->tv_sec - here.tv_sec + real.tv_sec;
  int64_t nanoseconds = (int64_t)until->tv_nsec - here.tv_nsec + real.tv_nsec;
  while (nanoseconds < 0) {
    nanoseconds += 1000000000;
    --seconds;
  }
  while (nanoseconds >= 1000000000) {
    nanoseconds -= 1000000000;
    ++seconds;
  }
  const struct timespec deadline = {.tv_sec = seconds < 0 ? 0 : (time_t)seconds, .tv_nsec = (long)nanoseconds};
  return pthread_cond_timedwait(condition, mutex, &deadline);
}

/* 2.35: where the unwind tables of an address are, for exceptions. The structure is that of <dlfcn.h> of 2.35. */
struct found_object {
  unsigned long long flags;
  void* map_start;
  void* map_end;
  struct link_map* link_map;
  void* eh_frame;
  unsigned long long reserved[7];
};

struct search {
  uintptr_t address;
  struct found_object* result;
};

static int visit(struct dl_phdr_info* info, size_t size, void* context) {
  (void)size;
  struct search* search = context;
  const ElfW(Phdr)* holder = NULL;
  const ElfW(Phdr)* frames = NULL;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)* header = &info->dlpi_phdr[i];
    if (header->p_type == PT_LOAD && search->address - (info->dlpi_addr + header->p_vaddr) < header->p_memsz) {
      holder = header;
    } else if (header->p_type == PT_GNU_EH_FRAME) {
      frames = header;
    }
  }
  if (holder == NULL) {
    return 0;
  }
  if (frames == NULL) {
    return -1;
  }
  const uintptr_t start = info->dlpi_addr + holder->p_vaddr;
  memset(search->result, 0, sizeof *search->result);
  search->result->map_start = (void*)start;
  search->result->map_end = (void*)(start + holder->p_memsz);
  search->result->eh_frame = (void*)(info->dlpi_addr + frames->p_vaddr);
  return 1;
}

int _dl_find_object(void* address, struct found_object* result) {
  struct search search = {(uintptr_t)address, result};
  return dl_iterate_phdr(visit, &search) == 1 ? 0 : -1;
}
